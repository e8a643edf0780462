package dev.pacer.http;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How far a {@link Bulk} run has come. Immutable.
 *
 * @param succeeded how many items have so far
 * @param failed how many items have so far
 * @param skipped how many items were so far
 * @param total how many items there are, where that was said
 * @param perSecond how many items ended in a second of late, whatever their state; time in which a cooldown let nothing
 *     end does not count
 * @param eta how long the rest will take, cooldown included; empty if the total or the rate is not known
 * @param cooldownLeft how long the run is rate limited; zero if it is not
 */
public record Progress(
    long succeeded,
    long failed,
    long skipped,
    OptionalLong total,
    double perSecond,
    Optional<Duration> eta,
    Duration cooldownLeft) {

  /** How many items have ended. */
  public long done() {
    return succeeded + failed + skipped;
  }

  /** Whether the gate is shut at the moment. */
  public boolean isRateLimited() {
    return !cooldownLeft.isZero();
  }
}
