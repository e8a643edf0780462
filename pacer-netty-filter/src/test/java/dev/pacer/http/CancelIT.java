package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Backoff;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServerResponse;

/** One request, cancelled at each stage of its course: nothing is sent afterwards, and nothing of it stays. */
@ExtendWith(NoLeaks.class)
class CancelIT {

  private static final Duration SOON = Duration.ofSeconds(10);

  private final Timers timers = new Timers();
  private final Scheduler scheduler = Schedulers.fromExecutorService(timers);
  private final Recorder recorder = new Recorder();
  private final Pacer pacer =
      Pacer.builder()
          .defaultPace(Pace.perSecond(1_000))
          .backoff(Backoff.DEFAULT.least(Duration.ZERO).jitter(Duration.ZERO).widening(0, 1, false))
          .scheduler(scheduler)
          .listener(recorder)
          .build();
  private final HttpPacing engine = HttpPacing.builder(pacer).scheduler(scheduler).build();
  private final WatchedPool pool = new WatchedPool("cancel", p -> p.maxConnections(1));

  /** Where a request can be when it is cancelled. */
  enum Stage {
    /** It is cancelled within its own subscribe. */
    SUBSCRIBING(0, false),
    /** At the gate of a long cooldown. */
    GATE(0, true),
    /** For a slot. */
    SLOT(0, true),
    /** It is with the vendor. */
    SENT(1, false),
    /** It is refused, and the body of the refusal does not end. */
    READING_REFUSAL(1, false),
    /** It is refused, and waits to be sent again. */
    COOLDOWN(1, true),
    /** The caller reads the body of a good answer. */
    BODY(1, false);

    private final int arrivals;
    private final boolean waits;

    Stage(int arrivals, boolean waits) {
      this.arrivals = arrivals;
      this.waits = waits;
    }

    private Publisher<Void> answer(HttpServerResponse response) {
      return switch (this) {
        case SENT -> Mono.never();
        case READING_REFUSAL -> stalls(response.status(429).header("Retry-After", "0.4"));
        case COOLDOWN -> Vendor.refuse(response, "0.4");
        case BODY -> stalls(response);
        default -> response.send();
      };
    }

    private static Publisher<Void> stalls(HttpServerResponse response) {
      return response.sendString(Flux.just("x").concatWith(Flux.never()), StandardCharsets.UTF_8);
    }
  }

  static List<Arguments> stagesOfBoth() {
    return Flux.just("netty", "web").flatMap(client -> Flux.just(Stage.values()).map(stage -> Arguments.of(client, stage)))
        .collectList()
        .block();
  }

  private Mono<String> request(String client, Vendor vendor) {
    HttpClient plain = HttpClient.create(pool.provider);
    if (client.equals("netty")) {
      return PacingHttpClient.decorate(plain, engine).get().uri(vendor.url()).responseContent().asString().last();
    }
    WebClient web =
        WebClient.builder()
            .clientConnector(new ReactorClientHttpConnector(plain))
            .filter(PacingExchangeFilter.of(engine))
            .build();
    return web.get().uri(vendor.url()).retrieve().bodyToMono(String.class);
  }

  @AfterEach
  void close() {
    pacer.close();
    pool.provider.disposeLater().block(SOON);
    scheduler.dispose();
  }

  @ParameterizedTest
  @MethodSource("stagesOfBoth")
  void cancellingAtAnyStageLeavesNoBodyConnectionTimerOrWaiter(String client, Stage stage) {
    try (Vendor vendor = Vendor.of((n, arrival, response) -> stage.answer(response))) {
      prepare(stage, vendor.key());
      if (stage == Stage.SUBSCRIBING) {
        request(client, vendor).subscribe(new BaseSubscriber<>() {
          @Override
          protected void hookOnSubscribe(Subscription subscription) {
            subscription.cancel();
          }
        });
      } else {
        Disposable running = request(client, vendor).subscribe();
        await(() -> isAt(stage, vendor));
        if (stage.waits) {
          pool.awaitIdle();
        }
        running.dispose();
      }
      pool.awaitIdle();
      Mono.delay(Duration.ofMillis(600)).block(SOON); // longer than the cooldown
      assertThat(recorder.cancelledWaits(vendor.key())).isEqualTo(stage.waits ? 1 : 0);
      assertThat(vendor.arrivals).hasSize(stage.arrivals);
      await(() -> timers.armed() <= 1); // the key's lane may have one
    }
  }

  private void prepare(Stage stage, String key) {
    if (stage == Stage.GATE) {
      pacer.coolDown(key, Duration.ofMillis(400));
    }
    if (stage == Stage.SLOT) {
      pacer.pace(key, Pace.of(1, Duration.ofSeconds(100)));
      pacer.reserve(key).block(SOON);
    }
  }

  private boolean isAt(Stage stage, Vendor vendor) {
    return switch (stage) {
      case SUBSCRIBING, GATE, SLOT -> true;
      case SENT -> vendor.arrivals.size() == 1;
      case READING_REFUSAL -> recorder.cooldowns(vendor.key()) > 0;
      case COOLDOWN -> recorder.cooldowns(vendor.key()) > 0 && pool.inUse() == 0;
      case BODY -> vendor.arrivals.size() == 1 && pool.inUse() == 1;
    };
  }

  private static void await(BooleanSupplier holds) {
    Mono.fromSupplier(holds::getAsBoolean)
        .repeatWhen(again -> again.delayElements(Duration.ofMillis(10)))
        .filter(yes -> yes)
        .next()
        .block(SOON);
  }
}
