package dev.pacer.benchmarks;

import com.zaxxer.hikari.HikariPoolMXBean;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Bucket4j on PostgreSQL, in a reactive application: on threads that may block, with the pool that Spring Boot brings. */
final class Bucket4jMatch implements Contender.Match {

  /** The pool's own default. */
  private static final int CONNECTIONS = 10;

  private final List<String> keys;
  private final Database database;
  private final CountingPool pool;
  private final HikariPoolMXBean use;
  private final Buckets buckets;
  private final Scheduler blocking;
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  Bucket4jMatch(Contenders all, List<String> keys, Buckets.Way way, int threads) {
    this.keys = keys;
    this.database = all.database();
    this.pool = database.pool(CONNECTIONS, all.durable());
    this.use = Objects.requireNonNull(pool.getHikariPoolMXBean());
    this.buckets = new Buckets(pool, way, keys);
    this.blocking = Schedulers.newBoundedElastic(threads, Integer.MAX_VALUE, "blocking");
  }

  @Override
  public Mono<?> reserve() {
    return buckets.reserve(Contender.any(keys), blocking, timer);
  }

  @Override
  public double visits() {
    return pool.transactions();
  }

  @Override
  public double roundTrips() {
    return database.roundTrips();
  }

  @Override
  public double connectionsBusy() {
    return use.getActiveConnections();
  }

  @Override
  public int threadsAwaiting() {
    return use.getThreadsAwaitingConnection();
  }

  @Override
  public void close() {
    blocking.dispose();
    timer.shutdownNow();
    pool.close();
  }
}
