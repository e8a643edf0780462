package dev.pacer.http;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a vendor writes a figure. The same header name has seven meanings among vendors ({@code X-RateLimit-Reset}
 * alone is epoch seconds, fractional epoch seconds, epoch milliseconds, seconds, milliseconds, ISO 8601 and a
 * JavaScript date), so the form belongs to the {@linkplain VendorProfile profile}, never to the name.
 *
 * <p>Numbers are ASCII digits with an optional fraction: no sign, no exponent, no white space within.
 */
public enum Form {
  /** {@code Retry-After} as RFC 9110 §10.2.3 has it, with the exceptions that {@link RetryAfter} lists. */
  RETRY_AFTER {
    @Override
    @Nullable Figure read(String value, ServerTime time, boolean lenient) {
      return RetryAfter.figure(value, time, lenient);
    }
  },

  /** A distance in seconds: {@code 53}, {@code 64.57}. */
  SECONDS {
    @Override
    @Nullable Figure read(String value, ServerTime time, boolean lenient) {
      return distance(value, 3, time);
    }
  },

  /** A distance in milliseconds: {@code 250}. */
  MILLIS {
    @Override
    @Nullable Figure read(String value, ServerTime time, boolean lenient) {
      return distance(value, 0, time);
    }
  },

  /** A distance in minutes. */
  MINUTES {
    @Override
    @Nullable Figure read(String value, ServerTime time, boolean lenient) {
      BigDecimal minutes = Text.decimal(value);
      return minutes == null ? null : Figure.in(minutes.multiply(MILLIS_PER_MINUTE), time);
    }
  },

  /** Seconds since 1970: {@code 1767225690}, {@code 1767225664.570}. More than 26 hours ago is no epoch. */
  EPOCH_SECONDS {
    @Override
    @Nullable Figure read(String value, ServerTime time, boolean lenient) {
      return epoch(Text.decimal(value), 3, time);
    }
  },

  /** Milliseconds since 1970: {@code 1767225690000}. More than 26 hours ago is no epoch. */
  EPOCH_MILLIS {
    @Override
    @Nullable Figure read(String value, ServerTime time, boolean lenient) {
      return epoch(Text.decimal(value), 0, time);
    }
  },

  /** ISO 8601 with a zone, as RFC 3339 has it, and without seconds, as Jira has it: {@code 2026-01-01T00:01Z}. */
  ISO {
    @Override
    @Nullable Figure read(String value, ServerTime time, boolean lenient) {
      return moment(ISO_FORM, value, time);
    }
  },

  /** HTTP-date, RFC 9110 §5.6.7, in its three forms. */
  HTTP_DATE {
    @Override
    @Nullable Figure read(String value, ServerTime time, boolean lenient) {
      Instant moment = (lenient ? HttpDate.LENIENT : HttpDate.STRICT).read(value, time.server());
      return moment == null ? null : Figure.at(moment, time);
    }
  },

  /** What Go's {@code Duration.String} writes: {@code 6m0s}, {@code 12ms}, {@code 3.5s}. */
  GO_DURATION {
    @Override
    @Nullable Figure read(String value, ServerTime time, boolean lenient) {
      Matcher match = GO_FORM.matcher(value);
      if (value.isEmpty() || value.length() > Text.LONGEST || !match.matches()) {
        return null;
      }
      BigDecimal minutes = part(match, "h").multiply(BigDecimal.valueOf(60)).add(part(match, "m"));
      BigDecimal seconds = minutes.multiply(BigDecimal.valueOf(60)).add(part(match, "s"));
      return Figure.in(seconds.movePointRight(3).add(part(match, "ms")), time);
    }
  },

  /** What JavaScript's {@code Date.toString} writes: {@code Tue Feb 16 2021 09:02:42 GMT+0100 (CET)}. */
  JS_DATE {
    @Override
    @Nullable Figure read(String value, ServerTime time, boolean lenient) {
      return moment(JS_FORM, value, time);
    }
  },

  /**
   * Not known: a number is read by its magnitude (below 1e8 a distance in seconds, then an epoch in seconds,
   * milli-, micro- or nanoseconds), anything else as a date if it is one. Always {@linkplain Figure#guessed
   * guessed}.
   */
  GUESS {
    @Override
    @Nullable Figure read(String value, ServerTime time, boolean lenient) {
      BigDecimal number = Text.decimal(value);
      Figure figure = number == null ? date(value, time, lenient) : magnitude(number, time);
      return figure == null ? null : figure.asGuess();
    }
  };

  /** Longer than a JavaScript date with its time zone's name in words. */
  static final int LONGEST = 128;

  private static final BigDecimal MILLIS_PER_MINUTE = BigDecimal.valueOf(60_000);

  /** Riptide's rule: a number that as an epoch is longer ago than this was not meant as one. */
  private static final BigDecimal OLDEST_EPOCH = BigDecimal.valueOf(26 * 3_600_000L);

  private static final BigDecimal LAST_EPOCH = BigDecimal.valueOf(253_402_300_799_000L);

  private static final String CLOCK = "(?<h>[0-9]{2}):(?<m>[0-9]{2})";
  private static final Pattern ISO_FORM =
      Pattern.compile(
          "(?<year>[0-9]{4})-(?<month>[0-9]{2})-(?<day>[0-9]{2})T" + CLOCK
              + "(?::(?<s>[0-9]{2})(?:\\.(?<fraction>[0-9]{1,9}))?)?(?<zone>Z|[+-][0-9]{2}:?[0-9]{2})");
  private static final Pattern JS_FORM =
      Pattern.compile(
          "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
              + " (?<day>[0-9]{2}) (?<year>[0-9]{4}) " + CLOCK
              + ":(?<s>[0-9]{2})(?<fraction>) GMT(?<zone>[+-][0-9]{4})(?: \\([^()\\p{Cntrl}]*\\))?");
  private static final Pattern GO_FORM =
      Pattern.compile(
          "(?:(?<h>[0-9]+)h)?(?:(?<m>[0-9]+)m)?(?:(?<s>[0-9]+(?:\\.[0-9]+)?)s)?(?:(?<ms>[0-9]+(?:\\.[0-9]+)?)ms)?");

  /**
   * Reads one value, already without the white space around it.
   *
   * @return null if it is not of this form
   */
  abstract @Nullable Figure read(String value, ServerTime time, boolean lenient);

  private static @Nullable Figure distance(String value, int places, ServerTime time) {
    BigDecimal number = Text.decimal(value);
    return number == null ? null : Figure.in(number.movePointRight(places), time);
  }

  private static @Nullable Figure epoch(@Nullable BigDecimal number, int places, ServerTime time) {
    if (number == null) {
      return null;
    }
    BigDecimal millis = number.movePointRight(places);
    BigDecimal server = BigDecimal.valueOf(time.server().toEpochMilli());
    if (server.subtract(millis).compareTo(OLDEST_EPOCH) > 0) {
      return null;
    }
    long nanos = millis.min(LAST_EPOCH).movePointRight(6).remainder(BigDecimal.valueOf(1_000_000)).longValue();
    return Figure.at(Instant.ofEpochMilli(millis.min(LAST_EPOCH).longValue()).plusNanos(nanos), time);
  }

  private static @Nullable Figure magnitude(BigDecimal number, ServerTime time) {
    int digits = number.precision() - number.scale();
    return switch (digits) {
      case 10, 11 -> epoch(number, 3, time);
      case 13, 14 -> epoch(number, 0, time);
      case 16, 17 -> epoch(number, -3, time);
      case 19, 20 -> epoch(number, -6, time);
      default -> digits <= 8 ? Figure.in(number.movePointRight(3), time) : null;
    };
  }

  private static @Nullable Figure date(String value, ServerTime time, boolean lenient) {
    Figure iso = ISO.read(value, time, lenient);
    Figure http = iso == null ? HTTP_DATE.read(value, time, lenient) : iso;
    return http == null ? JS_DATE.read(value, time, lenient) : http;
  }

  private static @Nullable Figure moment(Pattern form, String value, ServerTime time) {
    Matcher match = form.matcher(value);
    if (value.length() > LONGEST || !match.matches()) {
      return null;
    }
    CivilTime then = CivilTime.of(match, CivilTime.number(match.group("year")));
    if (then == null) {
      return null;
    }
    String fraction = match.group("fraction");
    long nanos = fraction == null || fraction.isEmpty() ? 0 : CivilTime.number((fraction + "00000000").substring(0, 9));
    return Figure.at(then.at(match.group("zone")).plusNanos(nanos), time);
  }

  private static BigDecimal part(Matcher match, String unit) {
    String number = match.group(unit);
    return number == null ? BigDecimal.ZERO : new BigDecimal(number);
  }
}
