package dev.pacer.postgres;

import dev.pacer.CursorException;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.R2dbcException;
import io.r2dbc.spi.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;

/**
 * Carries out what waits, one statement at a time, and tries again what may succeed the next time. Whatever happens,
 * each piece of work is answered or fails, within the time limit or a little more.
 */
final class Attempts {

  private static final int MOST_ATTEMPTS = 10;
  private static final int MOST_CREATIONS = 3;
  private static final long PAUSE_MILLIS = 20;

  private final Session session;
  private final Sql sql;
  private final PostgresCursor.Builder settings;
  private final Scheduler clock;
  private final Turns turns = new Turns();
  private final AtomicInteger signals = new AtomicInteger();
  private final AtomicBoolean busy = new AtomicBoolean();
  private volatile boolean wasRight;
  private volatile boolean closed;

  Attempts(Session session, Sql sql, PostgresCursor.Builder settings, Scheduler clock) {
    this.session = session;
    this.sql = sql;
    this.settings = settings;
    this.clock = clock;
  }

  void ask(Asked claim) {
    session.goOn();
    turns.add(claim);
    next();
  }

  void ask(Single<?> single) {
    session.goOn();
    turns.add(single);
    next();
  }

  void ask(Looks.Look look) {
    session.goOn();
    turns.add(look);
    next();
  }

  /** What comes from now on fails, and so does what waits. */
  void close() {
    closed = true;
    next();
  }

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
    while (!turns.isEmpty() && busy.compareAndSet(false, true)) {
      Turns.Try next = turns.poll(now());
      if (next == null) {
        busy.set(false);
      } else if (closed) {
        busy.set(false);
        next.work().failed(new CursorException("the cursor is closed", null));
      } else {
        run(next.work(), next);
      }
    }
  }

  private <R> void run(Work<R> work, Turns.Try attempt) {
    boolean reused = session.isOpen();
    List<R> rows = new ArrayList<>(work.size());
    session.run(
        connection -> execute(connection, work),
        rows::add,
        error -> {
          if (error != null) {
            failed(attempt, reused, error);
          } else {
            wasRight = true;
            long roundTrip = now() - session.startedAt();
            finish(() -> work.answered(rows, roundTrip, turns::add));
          }
        });
  }

  private <R> Publisher<R> execute(Connection connection, Work<R> work) {
    return Flux.from(work.statement(connection, sql).execute())
        .concatMap(result -> result.map((row, metadata) -> read(work, row)));
  }

  /** A row that cannot be read is an answer to something else. */
  private static <R> R read(Work<R> work, Row row) {
    try {
      return work.read(row);
    } catch (R2dbcException | Work.NotOurs known) {
      throw known;
    } catch (RuntimeException unreadable) {
      throw new Work.NotOurs(unreadable.toString());
    }
  }

  private void failed(Turns.Try attempt, boolean reused, Throwable error) {
    Work<?> work = attempt.work();
    Failure failure = Failure.of(error);
    if (failure != Failure.CONNECTION && !session.isOpen()) {
      giveUpAll(work, error); // the login was refused, whatever was to be asked
      return;
    }
    switch (failure) {
      case CONTENTION -> {
        if (work.size() > 1) {
          finish(() -> work.splits(turns)); // one locked key must not hold up the others
        } else if (attempt.attempt() < MOST_ATTEMPTS && now() - attempt.since() < settings.timeLimit.toNanos()) {
          finish(() -> later(attempt.next()));
        } else if (Failure.isTooSlow(error)) {
          giveUpAll(work, error);
        } else {
          giveUp(work, error);
        }
      }
      case CONNECTION -> {
        session.drop();
        if (!work.repeatable() || closed || session.isResting()) {
          giveUp(work, error);
        } else if (reused && attempt.attempt() == 1) {
          run(work, attempt.next()); // it may have been cut long ago; whether it was carried out does not matter
        } else {
          giveUpAll(work, error);
        }
      }
      case NO_TABLE -> {
        if (settings.createTable && attempt.attempt() <= MOST_CREATIONS) {
          create(attempt, error);
        } else {
          giveUp(work, error);
        }
      }
      case FINAL -> {
        if (work.size() > 1) {
          finish(() -> work.splits(turns)); // one bad key is one bad key
        } else {
          giveUp(work, error);
        }
      }
    }
  }

  /** Longer each time, so that the others hardly notice the one that waits for a lock. */
  private void later(Turns.Try attempt) {
    clock.schedule(
        () -> {
          turns.addAgain(attempt);
          next();
        },
        PAUSE_MILLIS * attempt.attempt(),
        TimeUnit.MILLISECONDS);
  }

  private void create(Turns.Try attempt, Throwable missing) {
    session.run(
        connection ->
            Flux.from(connection.createStatement(sql.create).execute()).concatMap(result -> result.getRowsUpdated()),
        count -> {},
        error -> {
          if (error == null || Failure.isSomebodyWasFaster(error)) {
            run(attempt.work(), attempt.next());
          } else {
            if (Failure.of(error) == Failure.CONNECTION) {
              session.drop();
            }
            error.addSuppressed(missing);
            giveUp(attempt.work(), error);
          }
        });
  }

  private void giveUp(Work<?> work, Throwable error) {
    finish(() -> work.failed(Failure.explain(error, settings.table, wasRight)));
  }

  /** There is no connection to be had: what waits behind need not find that out one by one. */
  private void giveUpAll(Work<?> work, Throwable error) {
    List<Work<?>> all = turns.pollAll();
    all.add(0, work);
    finish(() -> all.forEach(each -> each.failed(Failure.explain(error, settings.table, wasRight))));
  }

  /** Lets the next one go first, so that it is under way while the answers are handed out. */
  private void finish(Runnable handOut) {
    busy.set(false);
    next();
    handOut.run();
    next(); // claims that are to be made again have come meanwhile
  }

  private long now() {
    return clock.now(TimeUnit.NANOSECONDS);
  }
}
