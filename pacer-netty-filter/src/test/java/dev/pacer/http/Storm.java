package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.client.HttpConnectionPoolMetrics;
import reactor.netty.resources.ConnectionPoolMetrics;
import reactor.netty.resources.ConnectionProvider;

/** Many requests, each of which is cancelled some milliseconds after it was made. */
final class Storm {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final ConcurrentLinkedQueue<ConnectionPoolMetrics> pools = new ConcurrentLinkedQueue<>();

  final ConnectionProvider pool =
      ConnectionProvider.builder("storm")
          .maxConnections(8)
          .pendingAcquireMaxCount(-1)
          .metrics(true, () -> (name, id, address, metrics) -> pools.add(metrics))
          .build();

  void rages(Supplier<Mono<?>> request) {
    Flux.range(0, 2_000).flatMap(n -> cancelled(request.get()), 100).then().block(SOON);
  }

  private static Mono<Void> cancelled(Mono<?> request) {
    return Mono.create(
        done -> {
          Disposable running = request.subscribe(answer -> {}, error -> {});
          Schedulers.parallel()
              .schedule(
                  () -> {
                    running.dispose();
                    done.success();
                  },
                  ThreadLocalRandom.current().nextInt(30),
                  TimeUnit.MILLISECONDS);
        });
  }

  /** No connection, or where connections carry streams, no stream. */
  void leavesNothingInUse() {
    leavesInUseAtMost(0);
  }

  void leavesInUseAtMost(int most) {
    Mono.fromSupplier(this::inUse)
        .repeatWhen(again -> again.delayElements(Duration.ofMillis(20)))
        .filter(inUse -> inUse <= most)
        .next()
        .block(SOON);
    assertThat(pools.stream().mapToInt(ConnectionPoolMetrics::pendingAcquireSize).sum()).isZero();
    pool.disposeLater().block(SOON);
  }

  /** Where connections carry streams they are pooled twice, and remain in use in the outer pool. */
  private int inUse() {
    return pools.stream().anyMatch(HttpConnectionPoolMetrics.class::isInstance)
        ? pools.stream()
            .filter(HttpConnectionPoolMetrics.class::isInstance)
            .mapToInt(streams -> ((HttpConnectionPoolMetrics) streams).activeStreamSize())
            .sum()
        : pools.stream().mapToInt(ConnectionPoolMetrics::acquiredSize).sum();
  }
}
