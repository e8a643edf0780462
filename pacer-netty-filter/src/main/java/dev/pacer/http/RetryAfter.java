package dev.pacer.http;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code Retry-After}, RFC 9110 §10.2.3: {@code 1*DIGIT} seconds, or an HTTP-date in one of its three forms.
 *
 * <p>Two exceptions are always made, because vendors in wide use need them: a fraction of a second ({@code
 * 2.0}, {@code 0.493}) is read and rounded up to the millisecond, and a number that is an epoch within a day
 * of the server's time is taken for that moment, since as a distance it would be decades.
 *
 * <p>The field has one value. Of several, on lines of their own or in a list, the largest valid one counts,
 * and the field counts as malformed. Everything else that is not in the grammar is malformed and absent.
 *
 * @param lenient whether these are read too: {@code +120}; Go durations ({@code 1m0s}); ISO 8601 dates; HTTP dates
 *     with another letter case, weekday, zone, or a one-digit day
 */
public record RetryAfter(boolean lenient) {

  private static final BigDecimal LEAST_EPOCH = BigDecimal.valueOf(1_000_000_000);
  private static final Duration DAY = Duration.ofDays(1);

  /**
   * Reads the lines of the field.
   *
   * @param lines one element per field line, empty if the field is absent
   */
  public Reading read(List<String> lines, ServerTime time) {
    return Reading.of(lines, Form.RETRY_AFTER, time, lenient);
  }

  static @Nullable Figure figure(String value, ServerTime time, boolean lenient) {
    if (value.length() > Text.LONGEST) {
      return null;
    }
    BigDecimal seconds = Text.decimal(value);
    if (seconds != null) {
      return seconds.compareTo(LEAST_EPOCH) < 0 ? Form.SECONDS.read(value, time, lenient) : huge(value, time);
    }
    Figure date = Form.HTTP_DATE.read(value, time, lenient);
    return date == null && lenient ? outsideTheGrammar(value, time) : date;
  }

  private static @Nullable Figure huge(String value, ServerTime time) {
    Figure epoch = Form.EPOCH_SECONDS.read(value, time, /* lenient= */ false);
    boolean near = epoch != null && epoch.offset().abs().compareTo(DAY) <= 0;
    return near ? epoch : Form.SECONDS.read(value, time, /* lenient= */ false);
  }

  private static @Nullable Figure outsideTheGrammar(String value, ServerTime time) {
    if (value.startsWith("+")) {
      return Form.SECONDS.read(value.substring(1), time, /* lenient= */ true);
    }
    Figure distance = Form.GO_DURATION.read(value, time, /* lenient= */ true);
    return distance == null ? Form.ISO.read(value, time, /* lenient= */ true) : distance;
  }
}
