package dev.pacer.http;

import java.time.Duration;
import java.util.Optional;

/**
 * The vendor refused a request, and it will not be sent again; instead of the response, where {@link
 * HttpPacing.Builder#onRefused} asks for it. The gate is shut as the vendor said: a retry layer above must not wait
 * for it a second time. Carries no stack trace: it is an answer, not a fault.
 */
public final class RefusedException extends RuntimeException {

  private final String key;
  private final Refusal refusal;

  RefusedException(String key, Refusal refusal) {
    super(
        "\"" + key + "\" refused a " + refusal.method() + " with status " + refusal.status()
            + refusal.figure().map(wait -> " (the vendor said " + wait + ")").orElse("") + ", sent "
            + refusal.sends() + " times (raise the wait budget or the attempts, or call less)",
        null,
        true,
        false);
    this.key = key;
    this.refusal = refusal;
  }

  public String key() {
    return key;
  }

  public int status() {
    return refusal.status();
  }

  /** The vendor's figure, if there was one. */
  public Optional<Duration> retryAfter() {
    return refusal.figure();
  }

  /** How often the request was sent. */
  public int sends() {
    return refusal.sends();
  }
}
