package dev.pacer.http;

import java.time.Duration;

/**
 * A destination could not be reached, and is left alone for a while: nothing was sent, and nothing waited. Carries no
 * stack trace; the cause is what happened when it was last tried.
 */
public final class UnreachableException extends RuntimeException {

  private final String destination;
  private final Duration remaining;

  UnreachableException(String destination, Duration remaining, Throwable cause) {
    super("\"" + destination + "\" was unreachable, and is tried again in " + remaining, cause, true, false);
    this.destination = destination;
    this.remaining = remaining;
  }

  public String destination() {
    return destination;
  }

  /** After how long a request is let pass again. */
  public Duration remaining() {
    return remaining;
  }
}
