package dev.pacer.postgres;

import dev.pacer.Pacer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** So many calls a second, whatever becomes of those before. */
final class SteadyCalls {
  final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
  final Queue<Duration> waits = new ConcurrentLinkedQueue<>();
  private final Queue<Long> started = new ConcurrentLinkedQueue<>();
  private final Disposable source;

  SteadyCalls(Pacer pacer, String key, int perSecond) {
    source =
        Flux.interval(Duration.ofNanos(1_000_000_000L / perSecond))
            .onBackpressureDrop()
            .subscribe(
                i -> {
                  started.add(i);
                  pacer.reserve(key).subscribe(waits::add, errors::add);
                });
  }

  int started() {
    return started.size();
  }

  void end() {
    source.dispose();
    Database.await("all have been served", Duration.ofSeconds(30), () -> waits.size() + errors.size() == started.size());
  }

  Duration longest() {
    return quantile(1);
  }

  Duration quantile(double part) {
    List<Duration> sorted = waits.stream().sorted().toList();
    return sorted.get(Math.min(sorted.size() - 1, (int) (part * sorted.size())));
  }
}
