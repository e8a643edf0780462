package dev.pacer.benchmarks;

import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import reactor.core.publisher.Mono;

/**
 * Bucket4j on Redis, by Lettuce: asynchronous, so no thread is held, and on one connection, which Lettuce is made for.
 * It compares and sets, so callers of one key make one another try again.
 */
final class LettuceMatch implements Contender.Match {

  private static final Duration KEPT = Duration.ofMinutes(1);

  private final List<String> keys;
  private final Redis redis;
  private final RedisClient client;
  private final Map<String, AsyncBucketProxy> proxies = new HashMap<>();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  LettuceMatch(Redis redis, List<String> keys, boolean batching) {
    this.keys = keys;
    this.redis = redis;
    this.client = RedisClient.create(redis.url());
    AsyncProxyManager<String> manager =
        Bucket4jLettuce.casBasedBuilder(client.connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)))
            .expirationAfterWrite(ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(KEPT))
            .build()
            .asAsync();
    for (String key : keys) {
      var builder = manager.builder();
      if (batching) {
        builder = builder.withOptimization(Optimizations.batching());
      }
      AsyncBucketProxy proxy =
          builder.build(
              "pacer-benchmark:bucket4j:" + key, () -> CompletableFuture.completedFuture(Buckets.ceiling()));
      proxies.put(key, proxy);
      Buckets.granted(proxy.tryConsume(1).join()); // the first use is another one than all that follow
    }
  }

  @Override
  public Mono<?> reserve() {
    AsyncBucketProxy proxy = Objects.requireNonNull(proxies.get(Contender.any(keys)));
    return Mono.fromFuture(() -> proxy.asScheduler().tryConsume(1, Buckets.PATIENCE, timer)).map(Buckets::granted);
  }

  @Override
  public double roundTrips() {
    return redis.roundTrips();
  }

  @Override
  public double connectionsBusy() {
    return 1;
  }

  @Override
  public void close() {
    timer.shutdownNow();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
  }
}
