package dev.pacer.http;

import java.math.BigDecimal;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The plain text of header values. The JDK's number parsers are never asked first: {@code Long.parseLong}
 * accepts {@code +120} and Arabic digits, {@code Double.parseDouble} accepts {@code NaN}, {@code 1d} and hex,
 * and {@code String.strip} strips more than HTTP does.
 */
final class Text {

  /** Longer numbers and dates are not read at all; nothing that a vendor means is as long. */
  static final int LONGEST = 64;

  private static final Pattern WHOLE = Pattern.compile("[0-9]{1,64}");
  private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,64}(?:\\.[0-9]{1,64})?");

  private Text() {}

  /** Without the optional white space of RFC 9110 §5.6.3, which is space and tab. */
  static String strip(String value) {
    int from = 0;
    int to = value.length();
    while (from < to && blank(value.charAt(from))) {
      from++;
    }
    while (to > from && blank(value.charAt(to - 1))) {
      to--;
    }
    return value.substring(from, to);
  }

  /** {@code 1*DIGIT}, or null. */
  static @Nullable BigDecimal whole(String value) {
    return value.length() <= LONGEST && WHOLE.matcher(value).matches() ? new BigDecimal(value) : null;
  }

  /** {@code 1*DIGIT [ "." 1*DIGIT ]}, or null. */
  static @Nullable BigDecimal decimal(String value) {
    return value.length() <= LONGEST && DECIMAL.matcher(value).matches() ? new BigDecimal(value) : null;
  }

  private static boolean blank(char c) {
    return c == ' ' || c == '\t';
  }
}
