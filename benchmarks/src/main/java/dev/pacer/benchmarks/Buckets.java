package dev.pacer.benchmarks;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.jdbc.PrimaryKeyMapper;
import io.github.bucket4j.distributed.proxy.ProxyManager;
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
 * Bucket4j on PostgreSQL, in one of the ways it can be set up. One proxy per key, kept and shared, as batching needs it;
 * each is used once before anybody measures, because the first use inserts the row.
 */
final class Buckets {

  /** Far longer than anything here waits. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Map<String, Bucket> proxies = new ConcurrentHashMap<>();

  /** How a row is kept for one transaction at a time, and whether callers of one process share transactions. */
  enum Way {
    SELECT_FOR_UPDATE,
    ADVISORY_LOCK,

    /** With the locking of the first. Its documentation recommends it for keys that many ask for. */
    BATCHING
  }

  Buckets(DataSource pool, Way way, Iterable<String> keys) {
    ProxyManager<Long> byNumber = advisory(pool);
    ProxyManager<String> byName = selectForUpdate(pool);
    long number = 0;
    for (String key : keys) {
      Bucket proxy =
          switch (way) {
            case ADVISORY_LOCK -> byNumber.builder().build(number++, Buckets::ceiling);
            case SELECT_FOR_UPDATE -> byName.builder().build(key, Buckets::ceiling);
            case BATCHING ->
                byName.builder().withOptimization(Optimizations.batching()).build(key, Buckets::ceiling);
          };
      proxies.put(key, proxy);
      reserve(key);
    }
  }

  private static ProxyManager<String> selectForUpdate(DataSource pool) {
    return Bucket4jPostgreSQL.selectForUpdateBasedBuilder(pool)
        .primaryKeyMapper(PrimaryKeyMapper.STRING)
        .table(Database.BUCKETS)
        .build();
  }

  /** With numbers for keys, which is its default: a lock is a number, and texts might share one. */
  private static ProxyManager<Long> advisory(DataSource pool) {
    return Bucket4jPostgreSQL.advisoryLockBasedBuilder(pool).table(Database.ADVISED).build();
  }

  static BucketConfiguration ceiling() {
    return BucketConfiguration.builder()
        .addLimit(limit -> limit.capacity(Ceiling.PER_SECOND).refillGreedy(Ceiling.PER_SECOND, SECOND))
        .build();
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

  static boolean granted(boolean granted) {
    if (!granted) {
      throw new IllegalStateException("refused, at a ceiling that should refuse nobody");
    }
    return true;
  }
}
