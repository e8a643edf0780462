package dev.pacer.http;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * HTTP-date, RFC 9110 §5.6.7, in its three forms: IMF-fixdate, RFC 850 with its two-digit year, and asctime.
 *
 * <p>{@link #STRICT} is the RFC to the letter, and checks that the weekday is right. {@link #LENIENT} also
 * takes any letter case, a wrong weekday, a one-digit day, and another zone than GMT.
 */
final class HttpDate {

  static final HttpDate STRICT =
      new HttpDate(
          /* lenient= */ false,
          "(?<day>[0-9]{2}) MONTH (?<year>[0-9]{4}) TIME (?<zone>GMT)",
          "(?<day>[0-9]{2})-MONTH-(?<year>[0-9]{2}) TIME (?<zone>GMT)",
          "MONTH (?<day>[0-9]{2}| [0-9]) TIME (?<year>[0-9]{4})(?<zone>)");

  static final HttpDate LENIENT =
      new HttpDate(
          /* lenient= */ true,
          "(?<day>[0-9]{1,2}) MONTH (?<year>[0-9]{4}) TIME (?<zone>GMT|UTC|[+-][0-9]{4})",
          "(?<day>[0-9]{1,2})-MONTH-(?<year>[0-9]{2}) TIME (?<zone>GMT|UTC|[+-][0-9]{4})",
          "MONTH (?<day> ?[0-9]{1,2}) TIME (?<year>[0-9]{4})(?<zone>)");

  private static final int HALF_CENTURY = 50;

  private final boolean lenient;
  private final List<Pattern> forms;

  private HttpDate(boolean lenient, String imf, String rfc850, String asctime) {
    this.lenient = lenient;
    int flags = lenient ? Pattern.CASE_INSENSITIVE : 0;
    forms =
        List.of(
            compile("(?<weekday>Mon|Tue|Wed|Thu|Fri|Sat|Sun), " + imf, flags),
            compile("(?<weekday>(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day), " + rfc850, flags),
            compile("(?<weekday>Mon|Tue|Wed|Thu|Fri|Sat|Sun) " + asctime, flags));
  }

  /**
   * Reads a date.
   *
   * @param now decides the century of a two-digit year
   * @return null if it is none
   */
  @Nullable Instant read(String value, Instant now) {
    if (value.length() > Text.LONGEST) {
      return null;
    }
    for (Pattern form : forms) {
      Matcher match = form.matcher(value);
      if (match.matches()) {
        String year = match.group("year");
        return year.length() == 2
            ? inCentury(match, CivilTime.number(year), now)
            : instant(match, CivilTime.number(year));
      }
    }
    return null;
  }

  /** The latest year with these two digits that does not seem more than 50 years in the future. */
  private @Nullable Instant inCentury(Matcher match, int year, Instant now) {
    var limit = now.atOffset(ZoneOffset.UTC).plusYears(HALF_CENTURY);
    int latest = limit.getYear() - Math.floorMod(limit.getYear() - year, 100);
    if (latest == limit.getYear()) {
      CivilTime then = CivilTime.of(match, latest);
      if (then != null && then.at(match.group("zone")).isAfter(limit.toInstant())) {
        latest -= 100;
      }
    }
    return instant(match, latest);
  }

  private @Nullable Instant instant(Matcher match, int year) {
    CivilTime then = CivilTime.of(match, year);
    if (then == null || !(lenient || then.on(match.group("weekday")))) {
      return null;
    }
    return then.at(match.group("zone"));
  }

  private static Pattern compile(String form, int flags) {
    return Pattern.compile(
        form.replace("MONTH", "(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)")
            .replace("TIME", "(?<h>[0-9]{2}):(?<m>[0-9]{2}):(?<s>[0-9]{2})"),
        flags);
  }
}
