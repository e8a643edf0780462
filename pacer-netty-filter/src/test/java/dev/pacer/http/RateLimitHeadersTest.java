package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.http.RateLimitHeaders.Policy;
import dev.pacer.http.RateLimitHeaders.State;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimitHeadersTest extends InEveryPlace {

  private static final ServerTime TIME = ServerTime.of(List.of(DATE), List.of(), NOW);

  RateLimitHeadersTest(Places place) {
    super(place);
  }

  @Test
  void policiesAreReadWithTheirWindows() {
    var headers = read(Map.of("RateLimit-Policy", List.of("\"burst\";q=100;w=60,\"daily\";q=1000;w=86400")));
    assertThat(headers.policies()).containsExactly(policy("burst", 100, 60), policy("daily", 1000, 86_400));
    assertThat(headers.policies().get(0).interval()).contains(Duration.ofMillis(600));
    assertThat(headers.policies().get(1).interval()).contains(Duration.ofMillis(86_400));
    assertThat(headers.interval()).contains(Duration.ofMillis(86_400));
    assertThat(headers.malformed()).isZero();
  }

  @Test
  void bytesAreNotReadAsRequests() {
    var headers =
        read(
            Map.of(
                "RateLimit-Policy", List.of("\"peruser\";q=65535;qu=\"content-bytes\";w=10;pk=:sdfjLJUOUH==:"),
                "RateLimit", List.of("\"peruser\";r=1000;t=10")));
    assertThat(headers.policies())
        .containsExactly(new Policy("peruser", 65_535, Optional.of(Duration.ofSeconds(10)), "content-bytes"));
    assertThat(headers.interval()).isEmpty();
    assertThat(headers.malformed()).isZero();
  }

  @Test
  void whatIsLeftPacesAndDoesNotStop() {
    var headers = read(Map.of("RateLimit", List.of("\"default\";r=50;t=30")));
    assertThat(headers.states()).containsExactly(state("default", 50, 30));
    assertThat(headers.exhausted()).isEmpty();
    assertThat(headers.interval()).contains(Duration.ofMillis(600));
  }

  @Test
  void whatIsExhaustedStops() {
    assertThat(stop("RateLimit", "\"default\";r=0;t=50")).contains(Duration.ofSeconds(50));
  }

  @Test
  void ofSeveralThatAreExhaustedTheLongestStops() {
    assertThat(stop("RateLimit", "\"a\";r=0;t=5, \"b\";r=0;t=50, \"c\";r=1;t=500")).contains(Duration.ofSeconds(50));
  }

  @Test
  void aResetMayBeMissing() {
    var headers = read(Map.of("RateLimit", List.of("\"default\";r=999;pk=:dHJpYWwxMjEzMjM=:")));
    assertThat(headers.states()).containsExactly(new State("default", 999, Optional.empty()));
    assertThat(headers.malformed()).isZero();
    assertThat(stop("RateLimit", "\"default\";r=0")).isEmpty();
  }

  @Test
  void aSlowDayIsNoReasonToStop() {
    var headers = read(Map.of("RateLimit", List.of("\"day\";r=100;t=36000")));
    assertThat(headers.exhausted()).isEmpty();
    assertThat(headers.interval()).contains(Duration.ofSeconds(360));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aTokenForANameIsReadLenientlyOnly(boolean lenient) {
    var headers =
        RateLimitHeaders.read(
            Map.of("RateLimit-Policy", List.of("quota;q=100;w=1"), "RateLimit", List.of("quota;t=1"))::get,
            TIME,
            lenient);
    assertThat(headers.policies()).isEqualTo(lenient ? List.of(policy("quota", 100, 1)) : List.of());
    assertThat(headers.states()).as("without r nothing is said").isEmpty();
    assertThat(headers.malformed()).isEqualTo(lenient ? 1 : 2);
  }

  @Test
  void whatIsLeftIsBoundByThePolicy() {
    var headers =
        read(
            Map.of(
                "RateLimit-Policy", List.of("\"p\";q=10000;w=1000"),
                "RateLimit", List.of("\"p\";r=10000;t=10")));
    assertThat(headers.interval()).contains(Duration.ofMillis(100));
  }

  @Test
  void linesOfAFieldAreOneList() {
    var headers = read(Map.of("RateLimit", List.of("\"a\";r=1;t=2", " \"b\";r=3;t=4")));
    assertThat(headers.states()).containsExactly(state("a", 1, 2), state("b", 3, 4));
  }

  @Test
  void unknownParametersAreIgnored() {
    var headers = read(Map.of("RateLimit", List.of("\"a\";r=1;t=2;x;y=?0;z=@1659578233;u=%\"f%c3%bc\";v=a/b:c;f=1.5")));
    assertThat(headers.states()).containsExactly(state("a", 1, 2));
    assertThat(headers.malformed()).isZero();
  }

  @Test
  void aMemberOfAWrongTypeIsIgnoredAndTheOthersAreRead() {
    var headers = read(Map.of("RateLimit",
        List.of("\"a\";r=1;t=2, \"b\";r=1.5, (\"c\" d);r=1, \"e\";r=-1, \"f\";r=0;t=-1")));
    assertThat(headers.states()).containsExactly(state("a", 1, 2));
    assertThat(headers.malformed()).isEqualTo(4);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"a\";r=1;t=2,", "\"a;r=1", "\"a\";R=1", "\"a\" ;r=1", "\"a\";r=", "\"a\";r=1 t=2", "\"\\a\";r=1",
        "\"ä\";r=1",
        "\"a\";r=1234567890123456", "\"a\";r=+1", "\"a\";r=1.", "(\"a\";r=1", "'a';r=1", "\"a\"\n;r=1", ",", "@a",
            "?2", ":a",
        "%a", "%\"a", "(a(b))", "-", "\"a\";;r=1"
      })
  void aFieldWithOneFaultIsNoField(String value) {
    var headers = read(Map.of("RateLimit", List.of(value)));
    assertThat(headers.states()).isEmpty();
    assertThat(headers.malformed()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"p\";w=60", "\"p\";q=1;w=0", "\"p\";q=1;w=-1", "\"p\";q=1;w=1.5", "\"p\";q=1;qu=bytes",
      "?1;q=1"})
  void aPolicyThatTheDraftForbidsIsIgnored(String value) {
    var headers = read(Map.of("RateLimit-Policy", List.of(value)));
    assertThat(headers.policies()).isEmpty();
    assertThat(headers.malformed()).isEqualTo(1);
  }

  @Test
  void separateFieldsOfRevisionSixAreRead() {
    var fields =
        Map.of("RateLimit-Limit", List.of("100"), "RateLimit-Remaining", List.of("0"), "RateLimit-Reset",
            List.of("53"));
    var headers = read(fields);
    assertThat(headers.policies()).containsExactly(new Policy("", 100, Optional.empty(), "requests"));
    assertThat(headers.exhausted().map(Figure::waitNeeded)).contains(Duration.ofSeconds(53));
    assertThat(headers.exhausted().orElseThrow().guessed()).isFalse();
  }

  @Test
  void aPolicyThatIsANumberIsRead() {
    var headers = read(Map.of("RateLimit-Policy", List.of("100;w=60")));
    assertThat(headers.policies()).containsExactly(policy("", 100, 60));
  }

  @Test
  void theDictionaryOfRevisionSevenIsRead() {
    assertThat(stop("RateLimit", "limit=100, remaining=0, reset=30")).contains(Duration.ofSeconds(30));
    assertThat(stop("RateLimit", "limit=100, remaining=50, reset=30")).isEmpty();
    var headers = read(Map.of("RateLimit", List.of("limit=100, remaining=50, reset=30")));
    assertThat(headers.states()).containsExactly(state("", 50, 30));
  }

  @Test
  void aResetThatIsAMomentIsAGuess() {
    for (String moment : List.of("1767225690", "1767225690000", "2026-01-01T00:01:30Z")) {
      var headers = read(Map.of("RateLimit-Remaining", List.of("0"), "ratelimit-reset", List.of(moment)));
      Figure figure = headers.exhausted().orElseThrow();
      assertThat(figure.waitNeeded()).isEqualTo(Duration.ofSeconds(90));
      assertThat(figure.guessed()).isTrue();
    }
  }

  @Test
  void parametersOfSeparateFieldsAreRead() {
    var headers =
        read(Map.of("ratelimit-limit", List.of("100;w=21600"), "ratelimit-remaining", List.of("20;w=21600")));
    assertThat(headers.policies()).containsExactly(policy("", 100, 21_600));
    assertThat(headers.states()).containsExactly(new State("", 20, Optional.empty()));
    assertThat(headers.exhausted()).isEmpty();
    assertThat(headers.interval()).contains(Duration.ofSeconds(216));
  }

  @Test
  void nothingSentIsNothingRead() {
    assertThat(read(Map.of())).isEqualTo(new RateLimitHeaders(List.of(), List.of(), 0));
  }

  private static Optional<Duration> stop(String name, String value) {
    return read(Map.of(name, List.of(value))).exhausted().map(Figure::waitNeeded);
  }

  private static RateLimitHeaders read(Map<String, List<String>> fields) {
    return RateLimitHeaders.read(Answer.of(200, fields, NOW).fields(), TIME, /* lenient= */ false);
  }

  private static Policy policy(String name, long units, long seconds) {
    return new Policy(name, units, Optional.of(Duration.ofSeconds(seconds)), "requests");
  }

  private static State state(String name, long remaining, long seconds) {
    return new State(
        name,
        remaining,
        Optional.of(new Figure(Duration.ofSeconds(seconds), /* absolute= */ false, /* guessed= */ false)));
  }
}
