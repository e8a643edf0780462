package dev.pacer;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Is told what happened. Methods are called from several threads, sometimes within a lane's work, so they
 * must be quick and must not block. One that throws is logged, never felt.
 */
public interface PacerListener {

  /** Does nothing. */
  PacerListener NONE = new PacerListener() {};

  /** A call was let through after {@code waited}, and {@code late} behind its slot. */
  default void released(String key, Duration waited, Duration late) {}

  /** A call was refused because it would have had to wait {@code waitNeeded}. */
  default void refused(String key, Duration waitNeeded) {}

  /** A waiting call was cancelled. */
  default void cancelled(String key) {}

  /** The cursor answered: {@code granted} permits of {@code asked}, 0 being a refusal. */
  default void answered(String key, long asked, long granted, Duration roundTrip) {}

  /** Slots that nobody needed were given back to the cursor. */
  default void givenBack(String key, long permits) {}

  /** Slots went by unused: overdue, or not to be given back because others had booked behind them. */
  default void lost(String key, long permits) {}

  /** The cursor was found further ahead than any call may wait, so it was corrupt, and was read as idle. */
  default void clamped(String key) {}

  /**
   * A key's gate is shut for {@code remaining} from now.
   *
   * @param fresh whether it was open until now
   */
  default void shut(String key, Duration remaining, int strikes, boolean fresh) {}

  /** The cursor cannot be asked, and this process paces itself; for all keys, or for this one only. */
  default void degraded(@Nullable String key, Throwable why) {}

  /** The cursor is shared again, after {@code away}, in which {@code claims} were served by this process itself. */
  default void recovered(Duration away, long claims) {}

  /** The cursor gave an answer outside its contract, which was bent to fit. */
  default void anomaly(String key, String what) {}
}
