package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTest extends InEveryPlace {

  private static final RetryAfter STRICT = new RetryAfter(false);
  private static final RetryAfter LENIENT = new RetryAfter(true);
  private static final ServerTime TIME = ServerTime.of(List.of(DATE), List.of(), NOW);
  private static final String CAP = "P366D";

  RetryAfterTest(Places place) {
    super(place);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "120 | PT2M",
        "0 | PT0S",
        "007 | PT7S",
        "Thu, 01 Jan 2026 00:01:30 GMT | PT1M30S",
        "Thursday, 01-Jan-26 00:01:30 GMT | PT1M30S",
        "Thu Jan  1 00:01:30 2026 | PT1M30S",
        "Tuesday, 01-Jan-80 00:00:00 GMT | PT0S",
        "Tuesday, 01-Jan-75 00:00:00 GMT | " + CAP,
        "Fri, 31 Dec 1999 23:59:59 GMT | PT0S",
        "Wed, 31 Dec 2025 23:59:60 GMT | PT0S",
        // from public cases
        "0.493 | PT0.493S",
        "1.5 | PT1.5S",
        "2.0 | PT2S",
        "299.997 | PT4M59.997S",
        "292.052427053 | PT4M52.053S",
        "198300 | PT55H5M",
        // row 11
        "86400 | PT24H",
        "1000000 | PT277H46M40S",
        // rows 8 to 10, 24
        "99999999999999999999 | " + CAP,
        "9223372037 | " + CAP,
        "9223372036854775807 | " + CAP,
        "9999999999999999999999999999999999999999999999999999999999999999 | " + CAP,
        "Fri, 31 Dec 9999 23:59:59 GMT | " + CAP,
        // rows 25 and 26
        "Wed, 31 Dec 2025 23:59:57 GMT | PT0S",
        "Thu, 01 Jan 1970 00:00:00 GMT | PT0S",
        "Tue, 15 Nov 1994 08:12:31 GMT | PT0S",
        // row 28
        "1767225690 | PT1M30S",
        "1767225600 | PT0S",
        "1767225590 | PT0S",
        "1767312001 | " + CAP,
        "1767139199 | " + CAP,
      })
  void whatTheStandardAllowsIsRead(String value, Duration wait) {
    for (RetryAfter retryAfter : List.of(STRICT, LENIENT)) {
      Reading reading = retryAfter.read(List.of(value), TIME);
      assertThat(reading.waitNeeded()).as("%s %s", retryAfter, value).contains(wait);
      assertThat(reading.malformed()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {" 120 ", "\t120", "120 \t ", "\t\t120"})
  void whiteSpaceOfHttpAroundTheValueIsIgnored(String value) {
    assertThat(STRICT.read(List.of(value), TIME)).isEqualTo(STRICT.read(List.of("120"), TIME));
    assertThat(STRICT.read(List.of(value), TIME).waitNeeded()).contains(Duration.ofSeconds(120));
  }

  static Stream<String> neverValid() {
    return Stream.of(
        // row 2
        "", " ", "\t ",
        // row 4
        "-1", "-0", "-3", "--1", "+-1", "++1",
        // row 7
        ".5", "5.", "1e3", "0x10", "1_000", "1d", "1f", "0x1p3", "Infinity", "NaN", "1L", "1.5.2", "1,5.",
        // rows 13 and 14
        "\u0661\u0662\u0660", "\uff11\uff12\uff10", "\u0e51\u0e52\u0e50", "\u00a0120", "120\u00a0", "\u2007120",
        // rows 16 and 17
        "120;foo", "120 seconds", "120abc", "abc", "120, foo", "120,", ",120", "1 2", "12 0",
        // row 22 and its kind
        "01 Jan 26 00:01:30 GMT", "01 Jan 2026 00:01:30 GMT", "Thu, 01 Jan 26 00:01:30 GMT",
        "Thu, 01 Jan 2026 00:01 GMT", "Thu 01 Jan 2026 00:01:30 GMT", "Thu, 01 Jan 2026",
        // row 23 and its kind
        "Sun, 30 Feb 2025 00:00:00 GMT", "30 Feb 2025 00:00:00 GMT", "Thu, 00 Jan 2026 00:00:00 GMT",
        "Sat, 29 Feb 2025 00:00:00 GMT", "Thu, 32 Jan 2026 00:00:00 GMT", "Thu, 01 Jan 2026 24:00:00 GMT",
        "Thu, 01 Jan 2026 00:60:00 GMT", "Thu, 01 Jan 2026 00:00:61 GMT", "Thu, 01 Foo 2026 00:00:00 GMT",
        "Thursday, 30-Feb-26 00:01:30 GMT", "Thu Feb 30 00:01:30 2026", "Thu, 1\u0660 Jan 2026 00:01:30 GMT",
        // row 29
        "1".repeat(65), "9".repeat(8_192), " ".repeat(80) + "Thu, 01 Jan 2026 00:01:30 GMT" + "0".repeat(40),
        // row 30
        "120\r\n", "1\n20", "120\r\nX: y", "\u0000120", "120\u0000", "\u001b[31m120", "\u007f120", "12\u00000",
        // never split a date on its comma
        "Thu, 01 Jan 2026 00:01:30 GMT, 120", "Thu, 01 Jan 2026 00:01:30 GMT, Thu, 01 Jan 2026 00:01:40 GMT");
  }

  @ParameterizedTest
  @MethodSource("neverValid")
  void whatIsNeverValidIsAbsentAndCounted(String value) {
    for (RetryAfter retryAfter : List.of(STRICT, LENIENT)) {
      assertThat(retryAfter.read(List.of(value), TIME))
          .as("%s \"%s\"", retryAfter, value)
          .isEqualTo(new Reading(Optional.empty(), /* malformed= */ true));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // row 5
        "+120 | PT2M",
        // row 16
        "60s | PT1M",
        "30s | PT30S",
        "1m0s | PT1M",
        "1h2m3.5s | PT1H2M3.5S",
        "12ms | PT0.012S",
        // row 18
        "Thu, 01 Jan 2026 00:01:30 UTC | PT1M30S",
        "Thu, 01 Jan 2026 00:01:30 +0000 | PT1M30S",
        "Thu, 01 Jan 2026 00:01:30 -0800 | PT8H1M30S",
        "Thu, 01 Jan 2026 01:01:30 +0100 | PT1M30S",
        // row 19
        "Fri, 01 Jan 2026 00:01:30 GMT | PT1M30S",
        // row 20
        "Thu, 1 Jan 2026 00:01:30 GMT | PT1M30S",
        // row 21
        "thu, 01 jan 2026 00:01:30 gmt | PT1M30S",
        "THURSDAY, 01-JAN-26 00:01:30 GMT | PT1M30S",
        "THU, 01 APR 2026 00:00:00 GMT | PT2160H",
        // row 27
        "2026-01-01T00:01:30Z | PT1M30S",
        "2026-01-01T02:01:30+02:00 | PT1M30S",
        "2026-01-01T00:01Z | PT1M",
      })
  void whatIsClearAlthoughNotInTheGrammarIsReadLenientlyOnly(String value, Duration wait) {
    assertThat(STRICT.read(List.of(value), TIME)).isEqualTo(new Reading(Optional.empty(), /* malformed= */ true));
    Reading lenient = LENIENT.read(List.of(value), TIME);
    assertThat(lenient.waitNeeded()).contains(wait);
    assertThat(lenient.malformed()).isFalse();
  }

  static Stream<Arguments> severalValues() {
    return Stream.of(
        Arguments.of(List.of("120, 60"), 120),
        Arguments.of(List.of("60,120"), 120),
        Arguments.of(List.of("5, 10"), 10),
        Arguments.of(List.of("120", "60"), 120),
        Arguments.of(List.of("60", "120"), 120),
        Arguments.of(List.of("60", "60"), 60),
        Arguments.of(List.of("60", "garbage"), 60),
        Arguments.of(List.of("", "60"), 60),
        Arguments.of(List.of("60", "Thu, 01 Jan 2026 00:01:30 GMT"), 90));
  }

  @ParameterizedTest
  @MethodSource("severalValues")
  void ofSeveralValuesTheLargestValidOneCountsAndTheFieldIsMalformed(List<String> lines, long seconds) {
    Reading reading = STRICT.read(lines, TIME);
    assertThat(reading.waitNeeded()).contains(Duration.ofSeconds(seconds));
    assertThat(reading.malformed()).isTrue();
  }

  @Test
  void anAbsentFieldIsNeitherAFigureNorMalformed() {
    assertThat(STRICT.read(List.of(), TIME)).isEqualTo(new Reading(Optional.empty(), /* malformed= */ false));
  }

  @Test
  void aMomentIsAbsoluteAndADistanceIsNot() {
    assertThat(figure("120").absolute()).isFalse();
    assertThat(figure("Thu, 01 Jan 2026 00:01:30 GMT").absolute()).isTrue();
    assertThat(figure("1767225690").absolute()).isTrue();
  }

  @Test
  void onlyAMomentThatWasOverBeforeTheAnswerWasSentIsPast() {
    assertThat(figure("Wed, 31 Dec 2025 23:59:57 GMT").past()).isFalse();
    assertThat(figure("Wed, 31 Dec 2025 23:59:50 GMT").past()).isTrue();
    assertThat(figure("0").past()).isFalse();
  }

  @Test
  void aDateIsReadAgainstTheDateOfTheAnswerNotTheLocalClock() {
    ServerTime skewed = ServerTime.of(List.of(DATE), List.of(), NOW.plus(Duration.ofHours(7)));
    assertThat(STRICT.read(List.of("Thu, 01 Jan 2026 00:01:30 GMT"), skewed).waitNeeded())
        .contains(Duration.ofSeconds(90));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nonsense", "Fri, 01 Jan 2026 00:00:00 GMT"})
  void withoutAValidDateTheLocalClockIsAllThereIs(String date) {
    ServerTime time = ServerTime.of(List.of(date), List.of(), NOW.plusSeconds(30));
    assertThat(STRICT.read(List.of("Thu, 01 Jan 2026 00:01:30 GMT"), time).waitNeeded())
        .contains(Duration.ofSeconds(60));
  }

  @Test
  void whatACacheHasWaitedAlreadyIsTakenOff() {
    ServerTime kept = ServerTime.of(List.of(DATE), List.of("30"), NOW);
    assertThat(STRICT.read(List.of("120"), kept).waitNeeded()).contains(Duration.ofSeconds(90));
    assertThat(STRICT.read(List.of("20"), kept).waitNeeded()).contains(Duration.ZERO);
    assertThat(STRICT.read(List.of("Thu, 01 Jan 2026 00:01:30 GMT"), kept).waitNeeded())
        .contains(Duration.ofSeconds(60));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-5", "abc", "", "1e3", "\u0661"})
  void anAgeThatIsNoneIsZero(String age) {
    assertThat(ServerTime.of(List.of(DATE), List.of(age), NOW)).isEqualTo(TIME);
  }

  @Test
  void whenTheClocksAreDaysApartAMomentBetweenThemIsOnlyAGuess() {
    ServerTime absurd = ServerTime.of(List.of("Sat, 03 Jan 2026 00:00:00 GMT"), List.of(), NOW);
    Figure between = STRICT.read(List.of("Thu, 01 Jan 2026 00:01:30 GMT"), absurd).figure().orElseThrow();
    assertThat(between.waitNeeded()).isEqualTo(Duration.ofSeconds(90));
    assertThat(between.guessed()).isTrue();
    Figure beyond = STRICT.read(List.of("Sat, 03 Jan 2026 00:01:30 GMT"), absurd).figure().orElseThrow();
    assertThat(beyond.waitNeeded()).isEqualTo(Duration.ofSeconds(90));
    assertThat(beyond.guessed()).isFalse();
  }

  @Test
  void aDistanceDoesNotCareForAnyClock() {
    ServerTime absurd = ServerTime.of(List.of("Tue, 15 Nov 1994 08:12:31 GMT"), List.of(), NOW);
    assertThat(STRICT.read(List.of("120"), absurd).waitNeeded()).contains(Duration.ofSeconds(120));
  }

  @Test
  void theZoneOfTheJvmShiftsNothing() {
    ServerTime time = ServerTime.of(List.of(), List.of(), Instant.parse("2019-06-03T11:00:00Z"));
    assertThat(STRICT.read(List.of("Mon, 03 Jun 2019 11:30:12 GMT"), time).waitNeeded())
        .contains(Duration.ofSeconds(1_812));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2026-01-01T00:00:00Z | Wednesday, 01-Jan-76 00:00:00 GMT | 2076-01-01T00:00:00Z",
        "2026-01-01T00:00:00Z | Thursday, 01-Jan-76 00:00:01 GMT | 1976-01-01T00:00:01Z",
        "2026-01-01T00:00:00Z | Friday, 31-Dec-99 23:59:59 GMT | 1999-12-31T23:59:59Z",
        "1999-12-31T23:59:00Z | Saturday, 01-Jan-00 00:00:00 GMT | 2000-01-01T00:00:00Z",
        "2090-01-01T00:00:00Z | Friday, 01-Jan-10 00:00:00 GMT | ",
        "2090-01-01T00:00:00Z | Wednesday, 01-Jan-10 00:00:00 GMT | 2110-01-01T00:00:00Z",
      })
  void aTwoDigitYearIsTheLatestThatIsNotMoreThanFiftyYearsAhead(Instant now, String value, Instant then) {
    assertThat(HttpDate.STRICT.read(value, now)).isEqualTo(then);
  }

  private static Figure figure(String value) {
    return STRICT.read(List.of(value), TIME).figure().orElseThrow();
  }
}
