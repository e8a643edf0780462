package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Backoff;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/** Bulk runs and fallbacks with real clients and a real server. */
@ExtendWith(NoLeaks.class)
class SourcesIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  private final Pacer pacer =
      Pacer.builder()
          .defaultPace(Pace.perSecond(100))
          .backoff(Backoff.DEFAULT.least(Duration.ZERO).jitter(Duration.ZERO).widening(0, 1, false))
          .build();
  private final UnreachableGuard guard = UnreachableGuard.create();
  private final HttpPacing engine =
      HttpPacing.builder(pacer).guard(guard).onRefused(HttpPacing.OnRefused.ERROR).build();
  private final HttpClient client = PacingHttpClient.decorate(HttpClient.create(), engine);

  @AfterEach
  void close() {
    pacer.close();
  }

  /** The ways to ask a vendor. */
  enum Way {
    REACTOR_NETTY {
      @Override
      Mono<String> get(Pacer pacer, Guard guard, String url) {
        HttpPacing engine = HttpPacing.builder(pacer).guard(guard).onRefused(HttpPacing.OnRefused.ERROR).build();
        return text(PacingHttpClient.decorate(HttpClient.create(), engine), url);
      }
    },
    WEB_CLIENT {
      @Override
      Mono<String> get(Pacer pacer, Guard guard, String url) {
        HttpPacing engine = HttpPacing.builder(pacer).guard(guard).build(); // retrieve() makes errors of refusals
        return text(WebClient.builder().filter(PacingExchangeFilter.of(engine)), url);
      }
    },
    WEB_CLIENT_ON_A_PACED_CLIENT {
      @Override
      Mono<String> get(Pacer pacer, Guard guard, String url) {
        HttpPacing engine = HttpPacing.builder(pacer).guard(guard).onRefused(HttpPacing.OnRefused.ERROR).build();
        HttpClient paced = PacingHttpClient.decorate(HttpClient.create(), engine);
        return text(WebClient.builder().clientConnector(new ReactorClientHttpConnector(paced)), url);
      }
    };

    abstract Mono<String> get(Pacer pacer, Guard guard, String url);
  }

  private static Mono<String> text(HttpClient client, String url) {
    return client.get().uri(url).responseContent().aggregate().asString();
  }

  private static Mono<String> text(WebClient.Builder client, String url) {
    return client.build().get().uri(url).retrieve().bodyToMono(String.class);
  }

  private static Map<Outcome.State, Long> states(List<? extends Outcome<?, ?>> outcomes) {
    return outcomes.stream().collect(Collectors.groupingBy(Outcome::state, Collectors.counting()));
  }

  @Test
  @DisplayName("C111: 429 Retry-After 1 in the middle: all items are served, and at most the concurrency is refused")
  void aBulkRunGoesOnAfterACooldown() {
    AtomicLong limitedUntil = new AtomicLong();
    AtomicInteger refused = new AtomicInteger();
    try (Vendor vendor =
        Vendor.of(
            (n, arrival, response) -> {
              if (n == 20) {
                limitedUntil.set(System.nanoTime() + Duration.ofSeconds(1).toNanos());
              }
              if (n >= 20 && System.nanoTime() - limitedUntil.get() < 0) {
                refused.incrementAndGet();
                return Vendor.refuse(response, "1");
              }
              return response.sendString(Mono.just("served")).then();
            })) {
      List<Outcome<Integer, String>> outcomes =
          Bulk.builder((Integer item) -> text(client, vendor.url() + "/" + item))
              .concurrency(8)
              .build()
              .run(Flux.range(0, 100), 100)
              .collectList()
              .block(SOON);
      assertThat(states(outcomes)).containsOnly(Map.entry(Outcome.State.SUCCEEDED, 100L));
      assertThat(outcomes).extracting(Outcome::item).doesNotHaveDuplicates();
      assertThat(refused.get()).isBetween(1, 8);
      assertThat(vendor.arrivals).hasSize(100 + refused.get());
    }
  }

  @Test
  void aBulkRunBeyondTheBudgetSkipsTheRestAndSendsNothing() {
    try (Vendor vendor =
        Vendor.of(
            (n, arrival, response) ->
                n >= 10 ? Vendor.refuse(response, "3600") : response.sendString(Mono.just("served")).then())) {
      List<Outcome<Integer, String>> outcomes =
          Bulk.builder((Integer item) -> text(client, vendor.url() + "/" + item))
              .concurrency(8)
              .build()
              .run(Flux.range(0, 2_000))
              .collectList()
              .block(SOON);
      assertThat(states(outcomes))
          .containsOnly(Map.entry(Outcome.State.SUCCEEDED, 9L), Map.entry(Outcome.State.SKIPPED, 1_991L));
      assertThat(outcomes.stream().filter(outcome -> outcome.state() == Outcome.State.SKIPPED))
          .allMatch(outcome -> outcome.retryAfter().filter(Duration.ofHours(1)::equals).isPresent());
      assertThat(vendor.arrivals).hasSizeBetween(10, 9 + 8);
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aVendorsRefusalsAreNotTakenToAnother(Way way) {
    try (Vendor first = Vendor.of((n, arrival, response) -> Vendor.refuse(response, "3600"));
        Vendor second = Vendor.refusing(0, "0")) {
      List<String> images =
          Flux.range(0, 200)
              .flatMap(
                  n ->
                      Sources.of(() -> way.get(pacer, guard, first.url()))
                          .or(() -> way.get(pacer, guard, second.url()))
                          .orLocal(() -> Mono.just("local"))
                          .mono(),
                  8)
              .collectList()
              .block(SOON);
      assertThat(images).hasSize(200).containsOnly("local");
      assertThat(first.arrivals).hasSizeBetween(1, 8);
      assertThat(second.arrivals).isEmpty();
    }
  }

  @Test
  void whatOneVendorHasNotAnotherIsAskedFor() {
    try (Vendor first = Vendor.of((n, arrival, response) -> response.status(404).send());
        Vendor second = Vendor.refusing(0, "0")) {
      Mono<String> image =
          Sources.of(() -> Way.WEB_CLIENT.get(pacer, guard, first.url()))
              .or(() -> Way.WEB_CLIENT.get(pacer, guard, second.url()))
              .mono();
      assertThat(image.block(SOON)).isEqualTo("served 1");
      assertThat(first.arrivals).hasSize(1);
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aVendorThatHasBeenUnreachableIsPassedOver(Way way) {
    String nowhere;
    try (Vendor gone = Vendor.refusing(0, "0")) {
      nowhere = gone.url();
    }
    try (Vendor second = Vendor.refusing(0, "0")) {
      Mono<String> image =
          Sources.of(() -> way.get(pacer, guard, nowhere)).or(() -> way.get(pacer, guard, second.url())).mono();
      Throwable first = image.<Throwable>map(AssertionError::new).onErrorResume(Mono::just).block(SOON);
      assertThat(first).as("one failure may be an accident").hasRootCauseInstanceOf(ConnectException.class);
      assertThat(image.block(SOON)).isEqualTo("served 1");
    }
  }
}
