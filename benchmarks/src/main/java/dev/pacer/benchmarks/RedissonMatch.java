package dev.pacer.benchmarks;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.redisson.Redisson;
import org.redisson.api.RRateLimiterReactive;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.api.RedissonReactiveClient;
import org.redisson.api.ratelimiter.RateLimiterArgs;
import org.redisson.config.Config;
import reactor.core.publisher.Mono;

/**
 * Redisson's {@code RRateLimiter}, reactive, with its own pool of connections as it comes. Each permit is a member of a
 * set until its period is over, so it gets the ceiling in the shortest period that it knows, where that set is small.
 */
final class RedissonMatch implements Contender.Match {

  private static final Duration PERIOD = Duration.ofMillis(1);
  private static final int PER_PERIOD = Ceiling.PER_SECOND / 1_000;

  private final List<String> keys;
  private final Redis redis;
  private final RedissonClient client;
  private final Map<String, RRateLimiterReactive> limiters = new HashMap<>();

  RedissonMatch(Redis redis, List<String> keys) {
    this.keys = keys;
    this.redis = redis;
    Config config = new Config();
    config.useSingleServer().setAddress(redis.url());
    this.client = Redisson.create(config);
    RedissonReactiveClient reactive = client.reactive();
    for (String key : keys) {
      RRateLimiterReactive limiter = reactive.getRateLimiter("pacer-benchmark:redisson:" + key);
      limiter.setRate(RateLimiterArgs.of(RateType.OVERALL, PER_PERIOD, PERIOD)).block();
      limiters.put(key, limiter);
      limiter.acquire().block();
    }
  }

  @Override
  public Mono<?> reserve() {
    return Objects.requireNonNull(limiters.get(Contender.any(keys))).acquire().thenReturn(true);
  }

  @Override
  public double roundTrips() {
    return redis.roundTrips();
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
