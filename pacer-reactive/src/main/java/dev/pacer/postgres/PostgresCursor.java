package dev.pacer.postgres;

import dev.pacer.Backoff;
import dev.pacer.Cursor;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryOptions;
import io.r2dbc.spi.Option;
import io.r2dbc.spi.Statement;
import io.r2dbc.spi.Wrapped;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
 * <p>The server's name is looked up anew for each connection, by Netty and not by the JVM: after a failover by DNS the next
 * connection goes where the name leads then, whatever {@code networkaddress.cache.ttl} and the record's time to live are.
 * Only what {@code /etc/hosts} says is read once per JVM, unless {@code io.netty.hostsFileRefreshInterval} is set. What
 * works is kept: a connection is given up when it fails, or when the server behind it only reads.
 *
 * <p>A cancelled caller's statement is carried out all the same. Answers arrive on the driver's threads; a
 * {@link dev.pacer.Pacer} sees to it that its callers do not go on there. Thread-safe.
 */
public final class PostgresCursor implements Cursor {

  private static final Logger LOG = LoggerFactory.getLogger(PostgresCursor.class);

  private final Session session;
  private final Notices notices;
  private final Attempts attempts;
  private final String process;
  private volatile boolean counts = true;

  private PostgresCursor(ConnectionFactory factory, Builder builder) {
    Scheduler clock = Schedulers.parallel();
    Sql sql = new Sql(builder.table);
    this.notices = new Notices(builder.notifications ? sql.channel : null);
    this.session = new Session(factory, builder, notices, clock);
    this.attempts = new Attempts(session, sql, builder, clock);
    ThreadLocalRandom random = ThreadLocalRandom.current();
    this.process = Long.toHexString(random.nextLong()) + Long.toHexString(random.nextLong());
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
    return Mono.create(sink -> attempts.ask(new Asked(claim, sink)));
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
    return Mono.<Row>create(sink -> attempts.ask(new Looks.Look(key, sink, /* alone= */ false)))
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

  /**
   * One row in a table of its own, {@code <table>_process}. Where the role may not use that, nobody is counted, and
   * it is only seen whether the cursors can be written to.
   */
  @Override
  public Mono<Fleet> checkIn(long memoryNanos) {
    return Mono.defer(() -> counts && memoryNanos > 0 ? count(memoryNanos).onErrorResume(this::mayNotCount) : probe());
  }

  private Mono<Fleet> count(long memoryNanos) {
    return single(
        process,
        (connection, sql) -> connection.createStatement(sql.checkIn).bind("$1", process).bind("$2", memoryNanos),
        PostgresCursor::fleet,
        true);
  }

  private Mono<Fleet> mayNotCount(Throwable error) {
    if (!Failure.isForbidden(error)) {
      return Mono.error(error);
    }
    return probe()
        .doOnNext(
            there -> {
              counts = false;
              LOG.info("The number of processes cannot be learnt from the database: set maxProcesses. {}", error.getMessage());
            });
  }

  private Mono<Fleet> probe() {
    return single(
        process,
        (connection, sql) -> connection.createStatement(sql.probe).bind("$1", process),
        PostgresCursor::fleet,
        true);
  }

  private static Fleet fleet(io.r2dbc.spi.Row row) {
    return new Fleet(Math.toIntExact(Work.number(row, 1)), Work.number(row, 2));
  }

  private <T> Mono<T> single(
      String key,
      BiFunction<Connection, Sql, Statement> prepare,
      Function<io.r2dbc.spi.Row, T> reader,
      boolean repeatable) {
    return Mono.create(sink -> attempts.ask(new Single<>(key, prepare, reader, repeatable, sink)));
  }

  @Override
  public Mono<Void> suspend() {
    return session.rest();
  }

  @Override
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          attempts.close();
          return session.close().doFinally(signal -> attempts.close());
        });
  }

  /** Builds a {@link PostgresCursor}. Not thread-safe. */
  public static final class Builder {

    private static final Pattern URL = Pattern.compile("r2dbcs?:([a-z]+:)?postgresql:.*");

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
      if (url == null || !URL.matcher(url).matches()) { // the parser's own message would show the password
        throw new IllegalArgumentException(
            "url must look like r2dbc:postgresql://user:password@host:5432/database, began with \""
                + scheme(url)
                + "\"");
      }
      ConnectionFactoryOptions options = ConnectionFactoryOptions.parse(url);
      if (!options.hasOption(ConnectionFactoryOptions.USER)) {
        throw new IllegalArgumentException("url must name a user, as in r2dbc:postgresql://user:password@host/database");
      }
      Option<Object> extensions = Option.valueOf("autodetectExtensions");
      if (!options.hasOption(extensions)) {
        options = options.mutate().option(extensions, false).build(); // halves the time to connect
      }
      return connectionFactory(ConnectionFactories.get(options));
    }

    private static String scheme(@Nullable String url) {
      String[] parts = url == null ? new String[] {"null"} : url.split(":", 3);
      return parts.length < 3 ? parts[0] : parts[0] + ":" + parts[1] + ":";
    }

    /**
     * Where to connect. A pool is looked through to what it pools: pacer keeps one connection for good, and
     * changes its settings. The factory stays the caller's, and is never closed.
     */
    public Builder connectionFactory(ConnectionFactory factory) {
      this.factory = factory;
      return this;
    }

    /**
     * The table, as {@code name} or {@code schema.name}. Default: {@code pacer_cursor}. Cooldowns are notified under
     * this name, so all who share a table spell it alike; and where several schemas of one database have one, each is
     * named with its schema, or they hear of each other's.
     */
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
     * give up on it at four fifths of this, and on waiting for a lock at one fifth, after which others have a turn.
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
