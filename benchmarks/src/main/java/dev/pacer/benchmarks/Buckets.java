package dev.pacer.benchmarks;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.jdbc.PrimaryKeyMapper;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.postgresql.Bucket4jPostgreSQL;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import javax.sql.DataSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Bucket4j with its default PostgreSQL locking, {@code SELECT … FOR UPDATE}. One proxy per key, kept and shared, as
 * batching needs it; each is used once before anybody measures, because the first use inserts the row.
 */
final class Buckets {

  /** Far longer than anything here waits. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Map<String, Bucket> proxies = new ConcurrentHashMap<>();

  Buckets(DataSource pool, boolean batching, Iterable<String> keys) {
    var manager =
        Bucket4jPostgreSQL.selectForUpdateBasedBuilder(pool)
            .primaryKeyMapper(PrimaryKeyMapper.STRING)
            .table(Database.BUCKETS)
            .build();
    BucketConfiguration ceiling =
        BucketConfiguration.builder()
            .addLimit(limit -> limit.capacity(Ceiling.PER_SECOND).refillGreedy(Ceiling.PER_SECOND, SECOND))
            .build();
    for (String key : keys) {
      var builder = manager.builder();
      if (batching) {
        builder = builder.withOptimization(Optimizations.batching());
      }
      proxies.put(key, builder.build(key, () -> ceiling));
      reserve(key);
    }
  }

  /** Blocks the thread until there is a token. */
  boolean reserve(String key) {
    return granted(bucket(key).asBlocking().tryConsumeUninterruptibly(1, PATIENCE));
  }

  /** As a reactive application would write it: the database on a thread that may block, the wait on a timer. */
  Mono<Boolean> reserve(String key, Scheduler blocking, ScheduledExecutorService timer) {
    return Mono.fromCallable(() -> bucket(key).asScheduler().tryConsume(1, PATIENCE, timer))
        .subscribeOn(blocking)
        .flatMap(Mono::fromFuture)
        .map(Buckets::granted);
  }

  private Bucket bucket(String key) {
    return Objects.requireNonNull(proxies.get(key), key);
  }

  private static boolean granted(boolean granted) {
    if (!granted) {
      throw new IllegalStateException("refused, at a ceiling that should refuse nobody");
    }
    return true;
  }
}
