package dev.pacer.postgres;

import dev.pacer.Backoff;
import dev.pacer.Cursor;
import dev.pacer.CursorException;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryOptions;
import io.r2dbc.spi.Option;
import io.r2dbc.spi.Statement;
import io.r2dbc.spi.Wrapped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Cursors in a PostgreSQL table, one row per key, moved by one atomic statement.
 *
 * <p>Uses one connection of its own, opened at the first use, in autocommit at READ COMMITTED, whatever
 * transaction the caller is in and whatever the database's defaults are. One statement is in flight at a time;
 * what is asked meanwhile, for any number of keys, goes into the next one. So the statement's cost is shared by
 * all calls that wait for it.
 *
 * <p>A cancelled caller's statement is carried out all the same. Answers arrive on the driver's threads; a
 * {@link dev.pacer.Pacer} sees to it that its callers do not go on there. Thread-safe.
 */
public final class PostgresCursor implements Cursor {

  private static final int MOST_ATTEMPTS = 10;
  private static final int MOST_CONNECTIONS = 3;
  private static final long RECONNECT_MILLIS = 25;
  private static final long PAUSE_MILLIS = 20;
  private static final int KINDS = 4;

  private final Session session;
  private final Notices notices;
  private final Sql sql;
  private final String table;
  private final boolean createTable;
  private final Scheduler clock = Schedulers.parallel();
  private final Queue<Asked> claims = new ConcurrentLinkedQueue<>();
  private final Queue<Single<?>> singles = new ConcurrentLinkedQueue<>();
  private final Queue<Single<?>> looks = new ConcurrentLinkedQueue<>();
  private final Queue<Again> again = new ConcurrentLinkedQueue<>();
  private final AtomicInteger signals = new AtomicInteger();
  private final AtomicBoolean busy = new AtomicBoolean();
  private int turn; // touched by whoever has made it busy
  private volatile boolean closed;

  private PostgresCursor(ConnectionFactory factory, Builder builder) {
    this.table = builder.table;
    this.sql = new Sql(table);
    this.createTable = builder.createTable;
    this.notices = new Notices(builder.notifications ? sql.channel : null);
    this.session = new Session(factory, builder, notices, clock);
  }

  /** A cursor with the default settings; see {@link Builder}. */
  public static PostgresCursor of(String url) {
    return builder().url(url).build();
  }

  /** A cursor with the default settings; see {@link Builder}. */
  public static PostgresCursor of(ConnectionFactory factory) {
    return builder().connectionFactory(factory).build();
  }

  public static Builder builder() {
    return new Builder();
  }

  @Override
  public Mono<Grant> take(Claim claim) {
    return Mono.create(
        sink -> {
          claims.add(new Asked(claim, sink));
          next();
        });
  }

  @Override
  public Mono<Boolean> giveBack(Refund refund) {
    return single(refund.key(), (connection, sql) -> giveBack(connection, sql, refund), row -> true, false)
        .defaultIfEmpty(false);
  }

  private static Statement giveBack(Connection connection, Sql sql, Refund refund) {
    return connection
        .createStatement(sql.giveBack)
        .bind("$1", refund.key())
        .bind("$2", refund.cursor())
        .bind("$3", refund.seq())
        .bind("$4", refund.to());
  }

  @Override
  public Mono<Standing> peek(String key) {
    return queued(looks, key, (connection, sql) -> connection.createStatement(sql.peek).bind("$1", key), Work::row, true)
        .map(row -> new Standing(row.cursor() - row.readAt(), row.cooldown()));
  }

  @Override
  public Mono<Cooldown> coolDown(Stop stop) {
    return single(stop.key(), (connection, sql) -> coolDown(connection, sql, stop), Work::row, true).map(Row::cooldown);
  }

  private static Statement coolDown(Connection connection, Sql sql, Stop stop) {
    Backoff backoff = stop.backoff();
    return connection
        .createStatement(sql.coolDown)
        .bind("$1", stop.key())
        .bind("$2", stop.vendorNanos())
        .bind("$3", stop.sentIn())
        .bind("$4", stop.jitterNanos())
        .bind("$5", backoff.first().toNanos())
        .bind("$6", backoff.cap().toNanos())
        .bind("$7", backoff.least().toNanos())
        .bind("$8", backoff.decay().toNanos())
        .bind("$9", backoff.sharedWidest())
        .bind("$10", sql.channel);
  }

  @Override
  public Mono<Cooldown> relax(Relief relief) {
    return single(relief.key(), (connection, sql) -> relax(connection, sql, relief), Work::row, false)
        .map(Row::cooldown);
  }

  private static Statement relax(Connection connection, Sql sql, Relief relief) {
    return connection
        .createStatement(sql.relax)
        .bind("$1", relief.key())
        .bind("$2", relief.sentIn())
        .bind("$3", relief.narrower())
        .bind("$4", sql.channel);
  }

  @Override
  public Flux<Notice> notices() {
    return notices.flux();
  }

  private <T> Mono<T> single(
      String key,
      BiFunction<Connection, Sql, Statement> prepare,
      Function<io.r2dbc.spi.Row, T> reader,
      boolean repeatable) {
    return queued(singles, key, prepare, reader, repeatable);
  }

  private <T> Mono<T> queued(
      Queue<Single<?>> queue,
      String key,
      BiFunction<Connection, Sql, Statement> prepare,
      Function<io.r2dbc.spi.Row, T> reader,
      boolean repeatable) {
    return Mono.create(
        sink -> {
          queue.add(new Single<>(key, prepare, reader, repeatable, sink));
          next();
        });
  }

  @Override
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          closed = true;
          return session.close().doFinally(signal -> next());
        });
  }

  /** Work that was in another session's way, and lets others go first. */
  private record Again(Work<?> work, int attempt) {}

  /** Runs what is next if nothing runs. A statement that fails on the spot is not followed on its own stack. */
  private void next() {
    int seen = signals.incrementAndGet();
    if (seen > 1) {
      return; // somebody is at it, and looks again
    }
    do {
      startNext();
      seen = signals.addAndGet(-seen);
    } while (seen != 0);
  }

  private void startNext() {
    while (!isIdle() && busy.compareAndSet(false, true)) {
      Again next = poll();
      if (next == null) {
        busy.set(false);
      } else if (closed) {
        busy.set(false);
        next.work().failed(new CursorException("the cursor is closed", null));
      } else {
        run(next.work(), next.attempt());
      }
    }
  }

  private boolean isIdle() {
    return claims.isEmpty() && singles.isEmpty() && looks.isEmpty() && again.isEmpty();
  }

  /** One of each kind in turn, so that no kind holds up the others. */
  private @Nullable Again poll() {
    for (int kind = 0; kind < KINDS; kind++) {
      turn = (turn + 1) % KINDS;
      Again next =
          switch (turn) {
            case 0 -> first(Batch.of(claims));
            case 1 -> first(singles.poll());
            case 2 -> first(looks.poll());
            default -> again.poll();
          };
      if (next != null) {
        return next;
      }
    }
    return null;
  }

  private static @Nullable Again first(@Nullable Work<?> work) {
    return work == null ? null : new Again(work, 1);
  }

  private <R> void run(Work<R> work, int attempt) {
    boolean reused = session.isOpen();
    List<R> rows = new ArrayList<>(work.size());
    session.run(
        connection -> execute(connection, work),
        rows::add,
        error -> {
          if (error != null) {
            failed(work, attempt, reused, error);
          } else {
            long roundTrip = clock.now(TimeUnit.NANOSECONDS) - session.startedAt();
            finish(() -> work.answered(rows, roundTrip, this::again));
          }
        });
  }

  private <R> Publisher<R> execute(Connection connection, Work<R> work) {
    return Flux.from(work.statement(connection, sql).execute())
        .concatMap(result -> result.map((row, metadata) -> work.read(row)));
  }

  private void failed(Work<?> work, int attempt, boolean reused, Throwable error) {
    switch (Failure.of(error)) {
      case CONTENTION -> {
        if (attempt >= MOST_ATTEMPTS) {
          giveUp(work, error);
        } else if (work.size() > 1) {
          finish(() -> work.splits(this::again)); // one locked key must not hold up the others
        } else {
          finish(() -> later(new Again(work, attempt + 1)));
        }
      }
      case CONNECTION -> {
        session.drop();
        boolean silent = error instanceof TimeoutException && attempt > 1;
        if (attempt < MOST_CONNECTIONS && !silent && !closed && work.repeatable()) {
          // the first may have been cut long ago; whether it was carried out does not matter
          long pause = reused && attempt == 1 ? 0 : RECONNECT_MILLIS << attempt;
          clock.schedule(() -> run(work, attempt + 1), pause, TimeUnit.MILLISECONDS);
        } else if (session.isOpen() || !work.repeatable()) {
          giveUp(work, error);
        } else {
          giveUpAll(work, error);
        }
      }
      case NO_TABLE -> {
        if (createTable && attempt <= MOST_CONNECTIONS) {
          create(work, error);
        } else {
          giveUp(work, error);
        }
      }
      case FINAL -> {
        if (work.size() > 1) {
          finish(() -> work.splits(this::again)); // one bad key is one bad key
        } else {
          giveUp(work, error);
        }
      }
    }
  }

  /** Longer each time, so that the others hardly notice the one that waits for a lock. */
  private void later(Again work) {
    clock.schedule(
        () -> {
          again.add(work);
          next();
        },
        PAUSE_MILLIS * work.attempt(),
        TimeUnit.MILLISECONDS);
  }

  private void create(Work<?> work, Throwable missing) {
    session.run(
        connection ->
            Flux.from(connection.createStatement(sql.create).execute()).concatMap(result -> result.getRowsUpdated()),
        count -> {},
        error -> {
          if (error == null || Failure.isSomebodyWasFaster(error)) {
            run(work, MOST_CONNECTIONS + 1);
          } else {
            if (Failure.of(error) == Failure.CONNECTION) {
              session.drop();
            }
            error.addSuppressed(missing);
            giveUp(work, error);
          }
        });
  }

  private void again(Asked asked) {
    claims.add(asked);
  }

  private void giveUp(Work<?> work, Throwable error) {
    finish(() -> work.failed(Failure.explain(error, table)));
  }

  /** There is no connection to be had: what waits behind need not find that out one by one. */
  private void giveUpAll(Work<?> work, Throwable error) {
    List<Work<?>> all = new ArrayList<>(List.of(work));
    for (Work<?> next = singles.poll(); next != null; next = singles.poll()) {
      all.add(next);
    }
    for (Work<?> next = looks.poll(); next != null; next = looks.poll()) {
      all.add(next);
    }
    for (Work<?> next = Batch.of(claims); next != null; next = Batch.of(claims)) {
      all.add(next);
    }
    finish(() -> all.forEach(each -> each.failed(Failure.explain(error, table))));
  }

  /** Lets the next one go first, so that it is under way while the answers are handed out. */
  private void finish(Runnable handOut) {
    busy.set(false);
    next();
    handOut.run();
    next(); // claims that are to be made again have come meanwhile
  }

  /** Builds a {@link PostgresCursor}. Not thread-safe. */
  public static final class Builder {

    String table = "pacer_cursor";
    String applicationName = "pacer";
    Duration timeLimit = Duration.ofMillis(500);
    boolean createTable = true;
    boolean synchronousCommit;
    boolean notifications = true;
    private @Nullable ConnectionFactory factory;

    private Builder() {}

    /** For example {@code r2dbc:postgresql://user:password@host:5432/database}. Needs r2dbc-postgresql. */
    public Builder url(String url) {
      if (!url.startsWith("r2dbc:")) { // the parser's own message would show the password
        throw new IllegalArgumentException(
            "url must look like r2dbc:postgresql://user:password@host:5432/database, began with \""
                + url.substring(0, Math.max(0, url.indexOf(':') + 1))
                + "\"");
      }
      ConnectionFactoryOptions options = ConnectionFactoryOptions.parse(url);
      Option<Object> extensions = Option.valueOf("autodetectExtensions");
      if (!options.hasOption(extensions)) {
        options = options.mutate().option(extensions, false).build(); // halves the time to connect
      }
      return connectionFactory(ConnectionFactories.get(options));
    }

    /**
     * Where to connect. A pool is looked through to what it pools: pacer keeps one connection for good, and
     * changes its settings. The factory stays the caller's, and is never closed.
     */
    public Builder connectionFactory(ConnectionFactory factory) {
      this.factory = factory;
      return this;
    }

    /** The table, as {@code name} or {@code schema.name}. Default: {@code pacer_cursor}. */
    public Builder table(String table) {
      this.table = table;
      return this;
    }

    /** Whether a missing table is created. Default: yes. The DDL is shipped beside this class. */
    public Builder createTable(boolean create) {
      this.createTable = create;
      return this;
    }

    /**
     * Whether a reservation waits until the server has it on disk. Default: no, which is several times faster.
     * What a crash of the server then forgets, live processes still know, and bring along as a floor.
     */
    public Builder synchronousCommit(boolean on) {
      this.synchronousCommit = on;
      return this;
    }

    /**
     * How long a statement may take before its connection is given up. Default: 500 ms. The server is told to
     * give up on it, and on waiting for locks, at four fifths of this.
     */
    public Builder timeLimit(Duration limit) {
      if (limit.compareTo(Duration.ofMillis(5)) < 0 || limit.compareTo(Duration.ofMinutes(1)) > 0) {
        throw new IllegalArgumentException("timeLimit must be 5 ms to 1 min, was " + limit);
      }
      this.timeLimit = limit;
      return this;
    }

    /**
     * Whether to listen for the cooldowns that other processes learn of. Default: yes. Without, a process
     * learns of them with its next reservation, as it must behind PgBouncer in transaction mode.
     */
    public Builder notifications(boolean on) {
      this.notifications = on;
      return this;
    }

    /** What {@code pg_stat_activity} calls the connection. Default: {@code pacer}. */
    public Builder applicationName(String name) {
      this.applicationName = name;
      return this;
    }

    /** Builds it, and connects to nothing yet. */
    public PostgresCursor build() {
      if (factory == null) {
        throw new IllegalArgumentException("url or connectionFactory must be given");
      }
      return new PostgresCursor(unpooled(factory), this);
    }

    private static ConnectionFactory unpooled(ConnectionFactory factory) {
      return factory instanceof Wrapped<?> wrapped && wrapped.unwrap() instanceof ConnectionFactory inner
          ? unpooled(inner)
          : factory;
    }
  }
}
