package dev.pacer.http;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What became of one item of a {@link Bulk} run. Immutable, as far as the item and the result are.
 *
 * @param item as it came
 * @param state how it ended
 * @param result what the call gave; empty if it gave nothing, or did not succeed
 * @param error why it did not succeed; empty if it did
 * @param retryAfter the vendor's figure, if it was skipped and the vendor gave one
 */
public record Outcome<T, R>(
    T item, State state, Optional<R> result, Optional<Throwable> error, Optional<Duration> retryAfter) {

  /** How an item ended. */
  public enum State {
    /** The call ended without an error. */
    SUCCEEDED,

    /** The call ended with an error that had nothing to do with a limit. */
    FAILED,

    /** Not served because of a limit: the item can be run again, later. */
    SKIPPED
  }

  public Outcome {
    if (error.isEmpty() != (state == State.SUCCEEDED)) {
      throw new IllegalArgumentException("error must be there unless it is SUCCEEDED, was " + error + " if " + state);
    }
  }

  static <T, R> Outcome<T, R> succeeded(T item, @Nullable R result) {
    return new Outcome<>(
        item, State.SUCCEEDED, Optional.ofNullable(result), Optional.empty(), Optional.empty());
  }

  static <T, R> Outcome<T, R> unserved(T item, Throwable error) {
    Optional<RateLimiting> limiting = RateLimiting.in(error);
    return new Outcome<>(
        item,
        limiting.isPresent() ? State.SKIPPED : State.FAILED,
        Optional.empty(),
        Optional.of(error),
        limiting.flatMap(RateLimiting::figure));
  }
}
