package dev.pacer.benchmarks;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Somebody who reserves through PostgreSQL, for so many callers.
 *
 * @param opening connects; called once per turn
 */
record Contender(String name, int callers, Callable<Match> opening) {

  private static final int CONNECTIONS = 10;
  private static final List<String> ONE_KEY = List.of("hot");
  private static final List<String> MANY_KEYS = IntStream.range(0, 1_000).mapToObj(i -> "key-" + i).toList();

  /** As large as the one that everybody shares, and gone afterwards. */
  private static final int ELASTIC = Schedulers.DEFAULT_BOUNDED_ELASTIC_SIZE;

  /** A contender at work. */
  interface Match extends AutoCloseable {

    Mono<?> reserve();

    /** How often the database was visited so far: statements of pacer, transactions of Bucket4j. */
    long visits();

    @Override
    void close();
  }

  Match open() throws Exception {
    return opening.call();
  }

  static List<Contender> all(Database database, boolean durable) {
    Contenders make = new Contenders(database, durable);
    return List.of(
        make.pacer("pacer, hot key", 1, ONE_KEY, Ceiling.pace()),
        make.pacer("pacer, hot key", 32, ONE_KEY, Ceiling.pace()),
        make.pacer("pacer, hot key", 500, ONE_KEY, Ceiling.pace()),
        make.pacer("pacer, hot key, burst 1 000", 500, ONE_KEY, Ceiling.generous()),
        make.pacer("pacer, 1 000 keys", 500, MANY_KEYS, Ceiling.pace()),
        make.bucket4j("Bucket4j, hot key", 1, ONE_KEY, false, ELASTIC),
        make.bucket4j("Bucket4j, hot key", 32, ONE_KEY, false, ELASTIC),
        make.bucket4j("Bucket4j batching, hot key", 32, ONE_KEY, true, 32),
        make.bucket4j("Bucket4j batching, hot key", 500, ONE_KEY, true, ELASTIC),
        make.bucket4j("Bucket4j batching, hot key", 500, ONE_KEY, true, 500),
        make.bucket4j("Bucket4j, 1 000 keys", 500, MANY_KEYS, false, ELASTIC),
        make.bucket4j("Bucket4j batching, 1 000 keys", 500, MANY_KEYS, true, 500));
  }

  private static String any(List<String> keys) {
    return keys.size() == 1 ? keys.get(0) : keys.get(ThreadLocalRandom.current().nextInt(keys.size()));
  }

  private record Contenders(Database database, boolean durable) {

    Contender pacer(String what, int callers, List<String> keys, Pace pace) {
      return new Contender(what + ", " + callers + " callers", callers, () -> new Paced(this, keys, pace));
    }

    Contender bucket4j(String what, int callers, List<String> keys, boolean batching, int threads) {
      String name = what + ", " + callers + " callers on " + threads + " threads";
      return new Contender(name, callers, () -> new Bucketed(this, keys, batching, threads));
    }
  }

  private static final class Paced implements Match {

    private final List<String> keys;
    private final CountingConnections connections;
    private final Pacer pacer;

    Paced(Contenders all, List<String> keys, Pace pace) {
      this.keys = keys;
      this.connections = new CountingConnections(all.database.connections());
      this.pacer =
          Pacer.builder()
              .cursor(all.database.cursor(all.durable).connectionFactory(connections).build())
              .defaultPace(pace)
              .build();
    }

    @Override
    public Mono<?> reserve() {
      return pacer.reserve(any(keys));
    }

    @Override
    public long visits() {
      return connections.statements();
    }

    @Override
    public void close() {
      pacer.close();
      pacer.whenClosed().block();
    }
  }

  private static final class Bucketed implements Match {

    private final List<String> keys;
    private final CountingPool pool;
    private final Buckets buckets;
    private final Scheduler blocking;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    Bucketed(Contenders all, List<String> keys, boolean batching, int threads) {
      this.keys = keys;
      this.pool = all.database.pool(CONNECTIONS, all.durable);
      this.buckets = new Buckets(pool, batching, keys);
      this.blocking = Schedulers.newBoundedElastic(threads, Integer.MAX_VALUE, "blocking");
    }

    @Override
    public Mono<?> reserve() {
      return buckets.reserve(any(keys), blocking, timer);
    }

    @Override
    public long visits() {
      return pool.transactions();
    }

    @Override
    public void close() {
      blocking.dispose();
      timer.shutdownNow();
      pool.close();
    }
  }
}
