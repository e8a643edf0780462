package dev.pacer;

import java.time.Duration;
import java.util.Optional;

/**
 * A call that cannot be served within its wait budget. It has taken no slot, and nothing was sent for it.
 *
 * <p>Carries no stack trace: it is an answer, not a fault, and may be given thousands of times a second.
 */
public final class RateLimitedException extends RuntimeException {

  private final String key;
  private final Duration waitNeeded;
  private final Duration maxWait;
  private final GateState gate;

  RateLimitedException(String key, Duration waitNeeded, Duration maxWait, GateState gate) {
    super(message(key, waitNeeded, maxWait, gate), null, true, false);
    this.key = key;
    this.waitNeeded = waitNeeded;
    this.maxWait = maxWait;
    this.gate = gate;
  }

  private static String message(String key, Duration waitNeeded, Duration maxWait, GateState gate) {
    Duration figure = gate.retryAfter();
    String why =
        gate.remaining().isZero()
            ? "is paced"
            : "cools down for " + gate.remaining() + (figure == null ? "" : " (the vendor said " + figure + ")");
    return "\"" + key + "\" " + why + ": this call would wait " + waitNeeded + ", its budget is " + maxWait
        + " (raise maxWait, or call less)";
  }

  public String key() {
    return key;
  }

  /**
   * How long the call would have waited in all, as far as known: never less than this, and more if other
   * processes are waiting too.
   */
  public Duration waitNeeded() {
    return waitNeeded;
  }

  /** The vendor's figure behind the cooldown, if there is a cooldown and this process heard the figure. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(gate.retryAfter());
  }

  /** How long the key's gate stays shut, zero if it is open. */
  public Duration cooldownLeft() {
    return gate.remaining();
  }

  /**
   * Whether a gate takes care of the vendor's cooldown. Always so: a retry layer above need not, and must not,
   * wait for the vendor a second time.
   */
  public boolean isGateHandled() {
    return true;
  }

  /** The wait budget that this exceeds. */
  public Duration maxWait() {
    return maxWait;
  }
}
