package dev.pacer.http;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * That the vendor refused one sending of a request. Immutable.
 *
 * @param method of the request
 * @param status of the answer
 * @param figure how long the vendor says to wait, if it does
 * @param sends how often the request has been sent so far, at least once
 */
public record Refusal(String method, int status, Optional<Duration> figure, int sends) {

  private static final Set<String> IDEMPOTENT = Set.of("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE", "QUERY");

  /** Whether the method promises that sending twice does no more than sending once (RFC 9110, section 9.2.2). */
  public boolean isIdempotent() {
    return IDEMPOTENT.contains(method.toUpperCase(Locale.ROOT));
  }

  /**
   * Whether it is safe and sensible to send again: a request that was turned away because of the limit, with any
   * method; one that failed in the server (503) only if it is idempotent, or if the vendor says how long to wait; a
   * redirect never.
   */
  public boolean isRepeatable() {
    if (status >= 300 && status < 400) {
      return false;
    }
    return status < 500 || isIdempotent() || figure.isPresent();
  }
}
