package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.RateLimitedException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpHeaders;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

class SourcesTest {

  private final List<String> asked = new ArrayList<>();

  private <T> Supplier<Mono<T>> named(String name, Mono<T> source) {
    return () -> {
      asked.add(name);
      return source;
    };
  }

  private Supplier<Mono<String>> found(String name) {
    return named(name, Mono.just(name));
  }

  private Supplier<Mono<String>> failing(String name, Throwable error) {
    return named(name, Mono.error(error));
  }

  private Supplier<Mono<String>> empty(String name) {
    return named(name, Mono.empty());
  }

  private static Throwable errorOf(Mono<?> mono) {
    return mono.<Optional<Throwable>>map(value -> Optional.empty())
        .onErrorResume(error -> Mono.just(Optional.of(error)))
        .blockOptional()
        .orElseThrow(() -> new AssertionError("was empty"))
        .orElseThrow(() -> new AssertionError("had a value"));
  }

  static RateLimitedException rateLimited() {
    Pacer pacer = Pacer.builder().defaultPace(Pace.perSecond(1)).build();
    pacer.coolDown("a", Duration.ofHours(1));
    return (RateLimitedException) errorOf(pacer.reserve("a").doFinally(end -> pacer.close()));
  }

  private static RefusedException refused() {
    return new RefusedException("a", new Refusal("GET", 429, Optional.of(Duration.ofMinutes(2)), 4));
  }

  private static UnreachableException unreachable() {
    return new UnreachableException("a", Duration.ofSeconds(30), new ConnectException("refused"));
  }

  private static WebClientResponseException status(int status) {
    return WebClientResponseException.create(status, "", new HttpHeaders(), new byte[0], StandardCharsets.UTF_8);
  }

  private static Throwable wrapped(Throwable cause) {
    return new IllegalStateException("no image", new RuntimeException(cause));
  }

  private static Throwable inACircle(Throwable cause) {
    Throwable outer = new IllegalStateException("outer");
    Throwable inner = new IllegalStateException("inner", outer);
    outer.initCause(cause == null ? inner : cause);
    return inner;
  }

  static Stream<Throwable> notFoundOrUnreachable() {
    return Stream.of(
        status(404), status(410), unreachable(), wrapped(unreachable()), inACircle(unreachable()));
  }

  static Stream<Throwable> rateLimitings() {
    return Stream.of(
        rateLimited(),
        refused(),
        new RequestNotReplayableException(new Refusal("POST", 429, Optional.empty(), 1), new IOException("read")),
        status(429),
        status(503),
        wrapped(rateLimited()),
        wrapped(refused()),
        inACircle(status(429)));
  }

  static Stream<Throwable> otherErrors() {
    return Stream.of(
        new IllegalStateException("bug"),
        new ConnectException("refused, but not for long"),
        new TimeoutException(),
        status(500),
        status(403),
        wrapped(status(404)),
        inACircle(null));
  }

  @Test
  void aSourceIsNotCalledBeforeItsTurn() {
    Mono<String> chain = Sources.of(found("a")).or(found("b")).mono();
    assertThat(asked).isEmpty();
    StepVerifier.create(chain).expectNext("a").verifyComplete();
    assertThat(asked).containsExactly("a");
  }

  @Test
  void eachSubscriptionBeginsWithTheFirstSource() {
    Mono<String> chain = Sources.of(empty("a")).or(found("b")).mono();
    StepVerifier.create(chain.repeat(1)).expectNext("b", "b").verifyComplete();
    assertThat(asked).containsExactly("a", "b", "a", "b");
  }

  @Test
  void anEmptySourceIsFollowedByTheNext() {
    StepVerifier.create(Sources.of(empty("a")).or(empty("b")).orLocal(found("c")).mono())
        .expectNext("c")
        .verifyComplete();
    assertThat(asked).containsExactly("a", "b", "c");
  }

  @ParameterizedTest
  @MethodSource("notFoundOrUnreachable")
  void whatHasItNotAndWhatIsUnreachableIsFollowedByTheNext(Throwable error) {
    StepVerifier.create(Sources.of(failing("a", error)).or(found("b")).mono()).expectNext("b").verifyComplete();
    assertThat(asked).containsExactly("a", "b");
  }

  @ParameterizedTest
  @MethodSource("rateLimitings")
  void rateLimitingIsFollowedOnlyByLocalSources(Throwable error) {
    Sources<String> network = Sources.of(empty("a")).or(failing("b", error)).or(found("c"));
    assertThat(errorOf(network.mono())).isSameAs(error);
    assertThat(asked).containsExactly("a", "b");
    asked.clear();
    StepVerifier.create(network.orLocal(empty("d")).or(found("e")).orLocal(found("f")).mono())
        .expectNext("f")
        .verifyComplete();
    assertThat(asked).containsExactly("a", "b", "d", "f");
  }

  @ParameterizedTest
  @MethodSource("rateLimitings")
  void rateLimitingIsNotTakenForNotFoundWhateverTheUserSays(Throwable error) {
    Sources<String> chain = Sources.of(failing("a", error)).or(found("b")).notFound(anything -> true);
    assertThat(errorOf(chain.mono())).isSameAs(error);
    assertThat(asked).containsExactly("a");
  }

  @ParameterizedTest
  @MethodSource("otherErrors")
  void anyOtherErrorIsFinalAlsoForLocalSources(Throwable error) {
    Sources<String> chain = Sources.of(failing("a", error)).or(found("b")).orLocal(found("c"));
    assertThat(errorOf(chain.mono())).isSameAs(error);
    assertThat(asked).containsExactly("a");
  }

  @Test
  void theUserSaysWhatIsNotFound() {
    Sources<String> chain =
        Sources.of(failing("a", new IllegalArgumentException("no such thing")))
            .notFound(IllegalArgumentException.class::isInstance)
            .or(failing("b", status(404)))
            .or(found("c"));
    assertThat(errorOf(chain.mono())).isInstanceOf(WebClientResponseException.class);
    assertThat(asked).containsExactly("a", "b");
  }

  @Test
  void aSourceThatThrowsIsOneThatFails() {
    RefusedException refused = refused();
    Supplier<Mono<String>> throwing =
        () -> {
          throw refused;
        };
    StepVerifier.create(Sources.of(throwing).or(found("b")).orLocal(found("c")).mono())
        .expectNext("c")
        .verifyComplete();
  }

  @Test
  void theFirstRateLimitingIsSeenAndTheRestIsAttached() {
    RateLimitedException first = rateLimited();
    Throwable missing = status(404);
    Throwable broken = new IOException("disk");
    Throwable seen =
        errorOf(
            Sources.of(failing("a", missing))
                .or(failing("b", first))
                .orLocal(failing("c", refused()))
                .orLocal(failing("d", broken))
                .orLocal(found("e"))
                .mono());
    assertThat(seen).isSameAs(first);
    assertThat(seen.getSuppressed()).hasSize(3).startsWith(missing).endsWith(broken);
    assertThat(asked).as("an error of another kind is final for local sources too").containsExactly("a", "b", "c", "d");
  }

  @Test
  void withoutRateLimitingTheFinalErrorIsSeen() {
    Throwable broken = new IOException("broken");
    Throwable away = unreachable();
    Throwable seen = errorOf(Sources.of(failing("a", away)).or(failing("b", broken)).mono());
    assertThat(seen).isSameAs(broken).hasSuppressedException(away);
  }

  @Test
  void whatWasUnreachableIsNotSaidToBeMissing() {
    Throwable away = unreachable();
    Throwable missing = status(404);
    Throwable seen = errorOf(Sources.of(failing("a", missing)).or(failing("b", away)).orLocal(empty("c")).mono());
    assertThat(seen).isSameAs(away).hasSuppressedException(missing);
  }

  @Test
  void whenNobodyHasItTheFirstWhoSaidSoIsSeenAndSilenceIsEmpty() {
    Throwable missing = status(404);
    assertThat(errorOf(Sources.of(empty("a")).or(failing("b", missing)).or(failing("c", status(410))).mono()))
        .isSameAs(missing);
    StepVerifier.create(Sources.of(empty("a")).orLocal(empty("b")).mono()).verifyComplete();
  }

  @Test
  void aPredicateThatThrowsHidesNothing() {
    Throwable error = new IOException("broken");
    RuntimeException fault = new IllegalStateException("bug");
    Sources<String> chain =
        Sources.of(failing("a", error))
            .or(found("b"))
            .notFound(
                any -> {
                  throw fault;
                });
    assertThat(errorOf(chain.mono())).isSameAs(fault).hasSuppressedException(error);
    assertThat(asked).containsExactly("a");
  }

  @Test
  void anErrorThatIsAConstantDoesNotCollectWhatIsAttached() {
    Throwable constant = new IllegalStateException("constant");
    for (int i = 0; i < 100; i++) {
      errorOf(Sources.of(failing("a", status(404))).or(failing("b", constant)).mono());
    }
    assertThat(constant.getSuppressed()).hasSizeBetween(1, 20);
  }

  @Test
  void cancellingCancelsTheSourceThatIsAskedAndNoneIsAskedAfterIt() {
    TestPublisher<String> first = TestPublisher.create();
    TestPublisher<String> second = TestPublisher.create();
    Mono<String> chain =
        Sources.of(named("a", first.mono())).or(named("b", second.mono())).orLocal(found("c")).mono();
    StepVerifier.create(chain).thenCancel().verify();
    first.assertCancelled();
    assertThat(asked).containsExactly("a");

    TestPublisher<String> again = TestPublisher.create();
    StepVerifier.create(Sources.of(empty("a")).or(named("b", again.mono())).orLocal(found("c")).mono())
        .then(() -> assertThat(asked).containsExactly("a", "a", "b"))
        .thenCancel()
        .verify();
    again.assertCancelled();
    second.assertWasNotSubscribed();
    assertThat(asked).doesNotContain("c");
  }

  @Test
  void allSourcesSeeTheContextAlsoOnOtherThreads() {
    Mono<String> who = Mono.deferContextual(context -> Mono.just(context.get("who")));
    Mono<String> chain =
        Sources.<String>of(() -> Mono.<String>empty().delaySubscription(Mono.delay(Duration.ofMillis(1))))
            .or(() -> who.filter("nobody"::equals).publishOn(Schedulers.parallel()))
            .orLocal(() -> who)
            .mono();
    StepVerifier.create(chain.contextWrite(context -> context.put("who", "me"))).expectNext("me").verifyComplete();
  }
}
