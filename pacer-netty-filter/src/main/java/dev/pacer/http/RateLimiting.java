package dev.pacer.http;

import dev.pacer.RateLimitedException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import reactor.core.scheduler.Schedulers;

/**
 * That a call was not served because of a limit, whether it was refused here or by the vendor.
 *
 * @param figure how long the vendor says to wait, if it did
 */
record RateLimiting(Optional<Duration> figure) {

  /** Found in an error or a cause of it. */
  static Optional<RateLimiting> in(Throwable error) {
    return Causes.of(error).flatMap(RateLimiting::of).findFirst();
  }

  private static Stream<RateLimiting> of(Throwable error) {
    if (error instanceof RateLimitedException limited) {
      return Stream.of(new RateLimiting(limited.retryAfter()));
    }
    if (error instanceof RefusedException refused) {
      return Stream.of(new RateLimiting(refused.retryAfter()));
    }
    if (error instanceof RequestNotReplayableException refused) {
      return Stream.of(new RateLimiting(refused.retryAfter()));
    }
    return WebErrors.head(error).flatMap(RateLimiting::refusal).stream();
  }

  private static Optional<RateLimiting> refusal(Client.Head head) {
    Instant now = Instant.ofEpochMilli(Schedulers.parallel().now(TimeUnit.MILLISECONDS));
    Verdict verdict = Vendors.GENERIC.verdict(new Answer(head.status(), head.fields(), now));
    return verdict instanceof Verdict.Stop stop && stop.refused()
        ? Optional.of(new RateLimiting(stop.figure()))
        : Optional.empty();
  }
}
