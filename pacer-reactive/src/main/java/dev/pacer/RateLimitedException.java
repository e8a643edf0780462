package dev.pacer;

import java.time.Duration;

/**
 * A call that cannot be served within its wait budget. It has taken no slot, and nothing was sent for it.
 *
 * <p>Carries no stack trace: it is an answer, not a fault, and may be given thousands of times a second.
 */
public final class RateLimitedException extends RuntimeException {

  private final String key;
  private final Duration waitNeeded;
  private final Duration maxWait;

  RateLimitedException(String key, Duration waitNeeded, Duration maxWait) {
    super(
        "\"" + key + "\" is paced: this call would wait " + waitNeeded + ", its budget is " + maxWait
            + " (raise maxWait, or call less)",
        null,
        false,
        false);
    this.key = key;
    this.waitNeeded = waitNeeded;
    this.maxWait = maxWait;
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

  /** The wait budget that this exceeds. */
  public Duration maxWait() {
    return maxWait;
  }
}
