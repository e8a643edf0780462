package dev.pacer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Whoever is called: answers after a latency, and remembers when requests arrived. */
final class GateVendor {

  static final Answer GOOD = new Answer(false, null);
  static final Answer BARE_429 = new Answer(true, null);

  final List<Long> arrivals = new ArrayList<>();
  private final Duration latency;
  private final IntFunction<Answer> script;

  /** What it answers to the request of that number, the first being 1. */
  GateVendor(Duration latency, IntFunction<Answer> script) {
    this.latency = latency;
    this.script = script;
  }

  record Answer(boolean stop, @Nullable Duration retryAfter) {
    static Answer stop(Duration retryAfter) {
      return new Answer(true, retryAfter);
    }
  }

  Mono<Answer> answer(Scheduler clock) {
    return Mono.defer(
        () -> {
          arrivals.add(clock.now(TimeUnit.NANOSECONDS));
          Answer answer = script.apply(arrivals.size());
          return latency.isZero() ? Mono.just(answer) : Mono.delay(latency, clock).thenReturn(answer);
        });
  }

  /** The arrivals, in seconds since that time. */
  List<Double> since(long start) {
    return arrivals.stream().map(at -> (at - start) / 1e9).toList();
  }
}
