package dev.pacer.postgres;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.Context;

/**
 * Pacer's own connection: opened when it is needed, set up once, in autocommit, and thrown away as soon as a
 * statement on it takes longer than the time limit. The driver itself never gives up on a connection whose
 * packets are dropped, and it must not be interrupted, so a late statement is abandoned together with its
 * connection.
 *
 * <p>Runs one statement at a time; its owner sees to that.
 */
final class Session {

  private static final String DROPPED = "reactor.onErrorDropped.local";

  /** Name look-up, TLS and login are several round trips, and the first time in a JVM they are slow. */
  private static final long SHORTEST_CONNECT = TimeUnit.SECONDS.toNanos(5);

  /** Whoever waits for a row's lock holds up all other keys, so it waits for a while, lets them go, and tries again. */
  private static final int LOCK_TRIES = 4;

  private static final String SET_UP =
      """
      SELECT set_config(s.name, s.value, false)
        FROM (VALUES ('application_name', '%s'),
                     ('synchronous_commit', '%s'),
                     ('default_transaction_isolation', 'read committed'),
                     ('statement_timeout', '%d'),
                     ('lock_timeout', '%d'),
                     ('transaction_timeout', '0'),
                     ('idle_session_timeout', '0')) AS s(name, value)
        JOIN pg_catalog.pg_settings USING (name)""";

  private final ConnectionFactory factory;
  private final String setUp;
  private final long limitNanos;
  private final long connectNanos;
  private final Scheduler clock;
  private final Notices notices;
  private final AtomicReference<@Nullable Connection> connection = new AtomicReference<>();
  private final AtomicReference<@Nullable Attempt<?>> current = new AtomicReference<>();
  private final AtomicReference<@Nullable Disposable> watch = new AtomicReference<>();
  private volatile long startedAt;
  private volatile boolean resting;
  private volatile Sinks.Empty<Void> rest = Sinks.empty();
  private volatile boolean closed;

  Session(ConnectionFactory factory, PostgresCursor.Builder settings, Notices notices, Scheduler clock) {
    this.factory = factory;
    this.notices = notices;
    this.limitNanos = settings.timeLimit.toNanos();
    this.connectNanos = Math.max(SHORTEST_CONNECT, limitNanos);
    this.clock = clock;
    // the server gives up first, so that its error, which says more, arrives before the limit
    long serverMillis = Math.max(1, settings.timeLimit.toMillis() * 4 / 5);
    this.setUp =
        SET_UP.formatted(
            settings.applicationName.replace("'", "''"),
            settings.synchronousCommit ? "on" : "off",
            serverMillis,
            Math.max(1, serverMillis / LOCK_TRIES));
  }

  /** Whether a statement would go out on a connection that has been used before. */
  boolean isOpen() {
    return connection.get() != null;
  }

  /** When the last statement was sent, once its connection was there. */
  long startedAt() {
    return startedAt;
  }

  /** Runs one statement and tells, once, either all its rows' worth or an error. */
  <T> void run(Function<Connection, Publisher<T>> statement, Consumer<T> onRow, Consumer<@Nullable Throwable> onEnd) {
    Attempt<T> attempt = new Attempt<>(onRow, onEnd);
    if (resting) {
      attempt.failed(letGoOf());
      return;
    }
    Connection open = connection.get();
    // set before the attempt, which would else be judged by the start of the one before
    startedAt = clock.now(TimeUnit.NANOSECONDS) + (open == null ? connectNanos : 0);
    current.set(attempt);
    if (open != null) {
      guard();
      Flux.defer(() -> statement.apply(open)).subscribe(attempt::row, attempt::failed, attempt::completed);
    } else {
      connect()
          .flatMapMany(
              fresh -> {
                startedAt = clock.now(TimeUnit.NANOSECONDS);
                watchFor(limitNanos); // a watch that was set while connecting would ring too late
                return statement.apply(fresh);
              })
          .subscribe(attempt::row, attempt::failed, attempt::completed);
    }
  }

  private Mono<Connection> connect() {
    return Mono.defer(() -> Mono.from(factory.create()))
        .map(Connection.class::cast)
        .flatMap(fresh -> prepare(fresh).doOnError(unfit -> letGo(fresh)).doOnCancel(() -> letGo(fresh)))
        .timeout(Duration.ofNanos(connectNanos), clock)
        .takeUntilOther(rest.asMono())
        .doOnNext(
            fresh -> {
              Connection before = connection.getAndSet(fresh);
              if (before != null) {
                letGo(before); // it was on its way when the session went to rest, and on again
              }
              if (closed || resting) {
                drop();
              }
            })
        // a connection that is given up while it is set up fails into the void, and need not be logged
        .contextWrite(Context.of(DROPPED, (Consumer<Throwable>) ignored -> {}));
  }

  private Mono<Connection> prepare(Connection fresh) {
    return Mono.from(fresh.setAutoCommit(true))
        .thenMany(fresh.createStatement(setUp).execute())
        .concatMap(result -> result.map((row, metadata) -> 0))
        .then(Mono.defer(() -> notices.listen(fresh)))
        .thenReturn(fresh);
  }

  /** One timer for as long as statements follow each other, however many they are. */
  private void guard() {
    if (watch.get() == null) {
      watchFor(limitNanos);
    }
  }

  private void watchFor(long nanos) {
    Disposable timer = clock.schedule(this::look, nanos, TimeUnit.NANOSECONDS);
    Disposable before = watch.getAndSet(timer);
    if (before != null) {
      before.dispose();
    }
  }

  private void look() {
    watch.set(null);
    Attempt<?> attempt = current.get();
    if (attempt == null || closed) {
      return;
    }
    long left = startedAt + limitNanos - clock.now(TimeUnit.NANOSECONDS);
    if (left > 0) {
      watchFor(left);
    } else {
      drop();
      attempt.failed(new TimeoutException("no answer within " + Duration.ofNanos(limitNanos)));
    }
  }

  /** Throws the connection away; the next statement opens another one. */
  void drop() {
    Connection old = connection.getAndSet(null);
    if (old != null) {
      letGo(old);
    }
  }

  private static void letGo(Connection connection) {
    Mono.from(connection.close()).subscribe(done -> {}, alreadyGone -> {});
  }

  /** Closes the connection until {@link #goOn}; what is in flight fails. */
  Mono<Void> rest() {
    return Mono.defer(
        () -> {
          resting = true;
          Disposable timer = watch.getAndSet(null);
          if (timer != null) {
            timer.dispose();
          }
          Connection old = connection.getAndSet(null);
          Attempt<?> attempt = current.get();
          if (attempt != null) {
            attempt.failed(letGoOf());
          }
          Sinks.Empty<Void> begun = rest;
          rest = Sinks.empty();
          begun.tryEmitEmpty();
          return old == null
              ? Mono.empty()
              : Mono.from(old.close()).timeout(Duration.ofNanos(limitNanos), clock).onErrorComplete();
        });
  }

  private static TimeoutException letGoOf() {
    return new TimeoutException("the connection was let go of");
  }

  /** Something is asked for anew; what was asked for before the rest has failed, or fails when its turn comes. */
  void goOn() {
    resting = false;
  }

  boolean isResting() {
    return resting;
  }

  /** The same, for good. */
  Mono<Void> close() {
    return Mono.defer(
        () -> {
          closed = true;
          return rest();
        });
  }

  /** A statement in flight; whatever the driver says after its end is not heard any more. */
  private final class Attempt<T> {

    private final Consumer<T> onRow;
    private final AtomicReference<@Nullable Consumer<@Nullable Throwable>> onEnd;

    Attempt(Consumer<T> onRow, Consumer<@Nullable Throwable> onEnd) {
      this.onRow = onRow;
      this.onEnd = new AtomicReference<>(onEnd);
    }

    void row(T row) {
      if (onEnd.get() != null) {
        onRow.accept(row);
      }
    }

    void failed(Throwable error) {
      end(error);
    }

    void completed() {
      end(null);
    }

    private void end(@Nullable Throwable error) {
      Consumer<@Nullable Throwable> end = onEnd.getAndSet(null);
      if (end != null) {
        current.compareAndSet(this, null);
        end.accept(error);
      }
    }
  }
}
