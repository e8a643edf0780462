package dev.pacer;

import reactor.core.scheduler.Scheduler;

/** Lends the cursor in memory, and so the library's own arithmetic, to a model of the database. */
public final class CursorBridge {

  private CursorBridge() {}

  /** Its clock begins with {@code present} nanoseconds. */
  public static Cursor inMemory(Scheduler clock, long present) {
    return new LocalCursor(clock, present);
  }
}
