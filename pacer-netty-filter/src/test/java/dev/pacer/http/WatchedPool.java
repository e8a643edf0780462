package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpConnectionPoolMetrics;
import reactor.netty.resources.ConnectionPoolMetrics;
import reactor.netty.resources.ConnectionProvider;

/** A connection pool of which a test can see what is in use. */
final class WatchedPool {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final Queue<ConnectionPoolMetrics> pools = new ConcurrentLinkedQueue<>();

  final ConnectionProvider provider;

  WatchedPool(String name, UnaryOperator<ConnectionProvider.Builder> settings) {
    provider =
        settings
            .apply(ConnectionProvider.builder(name))
            .metrics(true, () -> (pool, id, address, metrics) -> pools.add(metrics))
            .build();
  }

  /** How many requests have a connection, or where connections carry streams, a stream; those are pooled twice. */
  int inUse() {
    return pools.stream().anyMatch(HttpConnectionPoolMetrics.class::isInstance)
        ? pools.stream()
            .filter(HttpConnectionPoolMetrics.class::isInstance)
            .mapToInt(streams -> ((HttpConnectionPoolMetrics) streams).activeStreamSize())
            .sum()
        : pools.stream().mapToInt(ConnectionPoolMetrics::acquiredSize).sum();
  }

  /** How many requests wait for one. */
  int pending() {
    return pools.stream().mapToInt(ConnectionPoolMetrics::pendingAcquireSize).sum();
  }

  void awaitIdle() {
    awaitInUseAtMost(0);
  }

  /** Returns once no more than that are in use; then nobody waits. */
  void awaitInUseAtMost(int most) {
    Mono.fromSupplier(this::inUse)
        .repeatWhen(again -> again.delayElements(Duration.ofMillis(20)))
        .filter(inUse -> inUse <= most)
        .next()
        .block(SOON);
    assertThat(pending()).isZero();
  }
}
