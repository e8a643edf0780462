package dev.pacer.http;

import java.time.Duration;
import java.util.Optional;

/**
 * The vendor refused a request, and it could not be sent again because its body can be read only once. The cause is
 * what happened when it was tried. Give the request a body that can be read again, or {@link
 * RequestPacing#resend resend(false)}, and the refusal is given back instead.
 */
public final class RequestNotReplayableException extends RuntimeException {

  private final Refusal refusal;

  RequestNotReplayableException(Refusal refusal, Throwable cause) {
    super(
        "the body of this " + refusal.method() + " cannot be sent again after status " + refusal.status()
            + ": give it one that can be read again, or resend(false)",
        cause);
    this.refusal = refusal;
  }

  /** The status of the refusal that the request was to be sent again after. */
  public int status() {
    return refusal.status();
  }

  /** The vendor's figure in that refusal, if there was one. */
  public Optional<Duration> retryAfter() {
    return refusal.figure();
  }
}
