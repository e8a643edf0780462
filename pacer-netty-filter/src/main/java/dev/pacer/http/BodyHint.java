package dev.pacer.http;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Finds the figure in a body, for vendors that put it there and not, or not as exactly, in a header. Asked only
 * for answers that are refusals, or may be.
 */
@FunctionalInterface
public interface BodyHint {

  /**
   * How long the body says to wait.
   *
   * @param body as much of the body as was read; may end anywhere
   * @return empty if it does not say
   */
  Optional<Duration> read(String body);

  /**
   * A JSON member, at whatever depth, for instance {@code field("retry_after", Form.SECONDS)}. Only forms that are
   * distances make sense here, since a body has no date to compare with.
   */
  static BodyHint field(String name, Form form) {
    return body -> {
      ServerTime none = ServerTime.of(List.of(), List.of(), Instant.EPOCH);
      return Reading.largest(JsonMember.values(body, name), form, none, /* lenient= */ false).waitNeeded();
    };
  }
}
