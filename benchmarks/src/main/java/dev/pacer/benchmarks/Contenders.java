package dev.pacer.benchmarks;

import dev.pacer.Pace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * Makes contenders.
 *
 * @param redis what some of them need instead of the database, if there is one
 * @param durable whether a commit is on disk before it is answered, for everybody on PostgreSQL
 */
record Contenders(Database database, @Nullable Redis redis, boolean durable) {

  /** As many threads as the scheduler has that an application takes for what blocks. */
  static final int ELASTIC = Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE;

  private static final int ALL_KEYS = 1_000;

  /** Everybody who is measured in a closed loop. */
  List<Contender> all() {
    List<Contender> all = new ArrayList<>(onPostgres());
    if (redis != null) {
      for (int callers : new int[] {1, 32, 500}) {
        all.add(lettuce(callers, 1, /* batching= */ false));
        all.add(redisson(callers, 1));
      }
      all.add(lettuce(500, 1, /* batching= */ true));
      all.add(lettuce(500, ALL_KEYS, /* batching= */ false));
      all.add(redisson(500, ALL_KEYS));
    }
    return all;
  }

  private List<Contender> onPostgres() {
    return List.of(
        pacer(1, 1, Ceiling.pace()),
        pacer(32, 1, Ceiling.pace()),
        pacer(500, 1, Ceiling.pace()),
        pacer(500, 1, Ceiling.generous()),
        pacer(500, ALL_KEYS, Ceiling.pace()),
        bucket4j(1, 1, Buckets.Way.SELECT_FOR_UPDATE, ELASTIC),
        bucket4j(32, 1, Buckets.Way.SELECT_FOR_UPDATE, ELASTIC),
        bucket4j(500, 1, Buckets.Way.SELECT_FOR_UPDATE, ELASTIC),
        bucket4j(1, 1, Buckets.Way.ADVISORY_LOCK, ELASTIC),
        bucket4j(32, 1, Buckets.Way.ADVISORY_LOCK, ELASTIC),
        bucket4j(500, 1, Buckets.Way.ADVISORY_LOCK, ELASTIC),
        bucket4j(32, 1, Buckets.Way.BATCHING, 32),
        bucket4j(500, 1, Buckets.Way.BATCHING, ELASTIC),
        bucket4j(500, 1, Buckets.Way.BATCHING, 500),
        bucket4j(500, ALL_KEYS, Buckets.Way.SELECT_FOR_UPDATE, ELASTIC),
        bucket4j(500, ALL_KEYS, Buckets.Way.ADVISORY_LOCK, ELASTIC),
        bucket4j(500, ALL_KEYS, Buckets.Way.BATCHING, 500));
  }

  Contender pacer(int callers, int keys, Pace pace) {
    String burst = pace.burst() == 1 ? "" : ", burst " + count(pace.burst());
    return new Contender(
        name("pacer", keys) + burst + ", " + callers(callers),
        callers,
        () -> new PacerMatch(this, Contender.keys(keys), pace));
  }

  /**
   * @param threads that may block. It cannot be asked otherwise: it speaks JDBC
   */
  Contender bucket4j(int callers, int keys, Buckets.Way way, int threads) {
    String who =
        switch (way) {
          case SELECT_FOR_UPDATE -> "Bucket4j";
          case ADVISORY_LOCK -> "Bucket4j advisory lock";
          case BATCHING -> "Bucket4j batching";
        };
    return new Contender(
        name(who, keys) + ", " + callers(callers) + " on " + threads + " threads",
        callers,
        () -> new Bucket4jMatch(this, Contender.keys(keys), way, threads));
  }

  Contender lettuce(int callers, int keys, boolean batching) {
    return new Contender(
        name(batching ? "Bucket4j batching, Redis by Lettuce" : "Bucket4j, Redis by Lettuce", keys)
            + ", "
            + callers(callers),
        callers,
        () -> new LettuceMatch(given(), Contender.keys(keys), batching));
  }

  Contender redisson(int callers, int keys) {
    return new Contender(
        name("Redisson", keys) + ", " + callers(callers),
        callers,
        () -> new RedissonMatch(given(), Contender.keys(keys)));
  }

  private Redis given() {
    if (redis == null) {
      throw new IllegalStateException("there is no Redis");
    }
    return redis;
  }

  private static String name(String who, int keys) {
    return who + ", " + (keys == 1 ? "hot key" : count(keys) + " keys");
  }

  private static String count(int n) {
    return String.format(Locale.ROOT, "%,d", n).replace(',', ' ');
  }

  private static String callers(int callers) {
    return callers == 1 ? "1 caller" : callers + " callers";
  }
}
