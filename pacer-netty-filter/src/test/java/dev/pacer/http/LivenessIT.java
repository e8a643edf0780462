package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Backoff;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.postgres.PostgresCursor;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.client.HttpClient;

/** That every request ends. */
@ExtendWith(NoLeaks.class)
class LivenessIT {

  /** How long the soak soaks, in seconds: {@code -Dpacer.test.soak=600}. */
  private static final Duration SOAK = Duration.ofSeconds(Long.getLong("pacer.test.soak", 3));

  private static final Duration BUDGET = Duration.ofSeconds(20);
  private static final Backoff PLAIN =
      Backoff.DEFAULT.least(Duration.ZERO).jitter(Duration.ZERO).widening(0, 1, false);

  /**
   * Rounds of a hundred requests at 1 000/s, the tenth of each shuts the gate for 40 ms, and rounds begin while the gate is
   * being shut by the one before.
   */
  @Test
  @Timeout(value = 1, unit = java.util.concurrent.TimeUnit.DAYS)
  void everyRequestEndsHoweverOftenTheGateShuts() {
    Timers timers = new Timers();
    Scheduler scheduler = Schedulers.fromExecutorService(timers);
    long end = System.nanoTime() + SOAK.toNanos();
    try (Vendor vendor = Vendor.of((n, arrival, response) -> n % 100 == 10
            ? Vendor.refuse(response, "0.04") : response.sendString(Mono.just("served")));
        Pacer pacer =
            Pacer.builder().defaultPace(Pace.perSecond(1_000)).backoff(PLAIN).scheduler(scheduler).build()) {
      HttpPacing engine = HttpPacing.builder(pacer).scheduler(scheduler).maxWait(BUDGET).attempts(50).build();
      HttpClient client = PacingHttpClient.decorate(HttpClient.create(), engine);
      List<Long> rounds =
          Flux.<Integer>generate(sink -> {
                if (System.nanoTime() - end < 0) {
                  sink.next(0);
                } else {
                  sink.complete();
                }
              })
              .flatMap(round -> round(client, vendor), 2)
              .collectList()
              .block(SOAK.plus(BUDGET).plusSeconds(60));
      assertThat(rounds).isNotEmpty().allMatch(served -> served == 100);
      assertThat(timers.longest()).as("no arithmetic has gone wrong").isLessThan(Duration.ofMinutes(15));
    } finally {
      scheduler.dispose();
    }
  }

  private static Mono<Long> round(HttpClient client, Vendor vendor) {
    return Flux.range(0, 100)
        .flatMap(n -> client.get().uri(vendor.url()).responseContent().aggregate().asString(), 100)
        .filter("served"::equals)
        .count()
        .delaySubscription(Duration.ofMillis(ThreadLocalRandom.current().nextInt(20)))
        .doOnSuccess(served -> vendor.arrivals.clear());
  }

  /** Either it paces on without the database, or it says that it cannot; but it does not hang, nor send twice. */
  @Test
  void aDatabaseThatIsAwayNeitherHangsARequestNorSendsItTwice() {
    try (Vendor vendor = Vendor.refusing(0, "0");
        Pacer pacer =
            Pacer.builder()
                .cursor(PostgresCursor.of("r2dbc:postgresql://nobody:nothing@127.0.0.1:1/nowhere"))
                .defaultPace(Pace.perSecond(1_000))
                .build()) {
      WebClient client =
          WebClient.builder().filter(PacingExchangeFilter.of(HttpPacing.builder(pacer).build())).build();
      Boolean served =
          client.get().uri(vendor.url()).exchangeToMono(response -> response.releaseBody().thenReturn(true))
              .onErrorReturn(false)
              .block(Duration.ofSeconds(60));
      assertThat(vendor.arrivals).hasSize(served ? 1 : 0);
    }
  }
}
