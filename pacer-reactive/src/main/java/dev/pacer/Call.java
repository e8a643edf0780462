package dev.pacer;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one call asks for. Immutable.
 *
 * @param permits what it costs; at least 1, and at most the burst of the key's pace (checked when it is
 *     reserved)
 * @param priority who goes first in this process
 * @param maxWait the wait budget, or null for the pacer's own; zero means now or not at all
 */
public record Call(int permits, Priority priority, @Nullable Duration maxWait) {

  /** One permit, normal priority, the pacer's own wait budget. */
  public static final Call ONE = new Call(1, Priority.NORMAL, null);

  public Call {
    if (priority == null) {
      throw new IllegalArgumentException("priority must not be null");
    }
    if (permits < 1) {
      throw new IllegalArgumentException("permits must be at least 1, was " + permits);
    }
    if (maxWait != null && maxWait.isNegative()) {
      throw new IllegalArgumentException("maxWait must not be negative, was " + maxWait);
    }
  }

  /** A call that costs so many permits. */
  public static Call of(int permits) {
    return new Call(permits, Priority.NORMAL, null);
  }

  public Call permits(int permits) {
    return new Call(permits, priority, maxWait);
  }

  public Call priority(Priority priority) {
    return new Call(permits, priority, maxWait);
  }

  public Call maxWait(Duration maxWait) {
    return new Call(permits, priority, maxWait);
  }
}
