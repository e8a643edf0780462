package dev.pacer;

import dev.pacer.CursorException.Extent;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import reactor.core.publisher.MonoSink;

/**
 * One statement under way, as {@code PostgresCursor} has it: it has a time limit, and what was lost with its connection
 * may be asked once more.
 */
final class SimQuestion<T, R> {

  private static final long LIMIT = 500_000_000;

  /** How the way is to the database. */
  enum Road {
    UP,
    /** Connections are refused. */
    CUT,
    /** What is sent does not arrive, in one direction or both. */
    SILENT
  }

  /** What becomes of an answer, and how long it took. */
  interface Receiver<T, R> {
    void receive(T answer, long roundTrip, MonoSink<R> sink);
  }

  /** Whether it may be carried out twice, and whether it needs the key's row. */
  record Manner(boolean repeatable, boolean aboutTheKey) {}

  private final SimWire wire;
  private final MonoSink<R> sink;
  private final Manner manner;
  private final Supplier<T> question;
  private final Receiver<T, R> receiver;
  private boolean over;
  private int attempt;
  private long startedAt;

  SimQuestion(SimWire wire, MonoSink<R> sink, Manner manner, Supplier<T> question, Receiver<T, R> receiver) {
    this.wire = wire;
    this.sink = sink;
    this.manner = manner;
    this.question = question;
    this.receiver = receiver;
  }

  void send() {
    int mine = ++attempt;
    startedAt = wire.clock.nanos();
    wire.clock.schedule(() -> fail(mine, "too slow", Extent.ALL), LIMIT, TimeUnit.NANOSECONDS);
    wire.loop.after(wire.trouble.delay(wire.random), () -> arrive(mine));
  }

  private void arrive(int mine) {
    if (wire.road == Road.CUT || wire.database.down) {
      refuse(mine, "refused", Extent.ALL, wire.trouble.delay(wire.random));
    } else if (wire.road == Road.SILENT || wire.trouble.loses(wire.random)) {
      return;
    } else if (wire.database.readOnly) {
      refuse(mine, "read-only", Extent.ALL, wire.trouble.delay(wire.random));
    } else if (manner.aboutTheKey() && wire.database.locked) {
      refuse(mine, "locked", Extent.KEY, LIMIT / 2);
    } else {
      T answer = question.get();
      long back = wire.trouble.delay(wire.random);
      if (!wire.trouble.loses(wire.random)) {
        wire.loop.after(back, () -> answered(mine, answer));
      }
    }
  }

  private void refuse(int mine, String why, Extent extent, long after) {
    wire.clock.arrive(after, () -> fail(mine, why, extent));
  }

  private void answered(int mine, T answer) {
    if (wire.road == Road.UP) {
      wire.clock.arrive(0, () -> answer(mine, answer));
    }
  }

  private void answer(int mine, T answer) {
    if (!over && mine == attempt) {
      over = true;
      receiver.receive(answer, wire.clock.nanos() - startedAt, sink);
    }
  }

  private void fail(int mine, String why, Extent extent) {
    if (over || mine != attempt) {
      return;
    }
    if (manner.repeatable() && attempt == 1 && extent == Extent.ALL && wire.random.nextBoolean()) {
      send();
    } else {
      over = true;
      sink.error(new CursorException(why, null, extent));
    }
  }
}
