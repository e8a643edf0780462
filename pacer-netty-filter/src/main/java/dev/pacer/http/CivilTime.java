package dev.pacer.http;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/**
 * A date and a time as somebody wrote them, not yet known to exist. The JDK's formatters are not used: they
 * turn 30 February into the 28th and a two-digit year into the year 26, and throw on a leap second.
 */
record CivilTime(LocalDate date, int secondOfDay) {

  private static final String MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
  private static final String DAYS = "montuewedthufrisatsun";

  /**
   * From the named groups {@code day}, {@code month}, {@code h}, {@code m}, {@code s} of a match.
   *
   * @return null where no such date or time exists
   */
  static @Nullable CivilTime of(Matcher match, int year) {
    int hour = number(match.group("h"));
    int minute = number(match.group("m"));
    String s = match.group("s");
    int second = s == null ? 0 : number(s);
    // 60 is a leap second, and is in the grammar of HTTP dates; it is the second that follows
    if (hour > 23 || minute > 59 || second > 60) {
      return null;
    }
    try {
      LocalDate date = LocalDate.of(year, month(match.group("month")), number(match.group("day").trim()));
      return new CivilTime(date, (hour * 60 + minute) * 60 + second);
    } catch (DateTimeException noSuchDay) {
      return null;
    }
  }

  boolean on(String weekday) {
    DayOfWeek day = date.getDayOfWeek();
    return DAYS.indexOf(first3(weekday)) == 3 * (day.getValue() - 1);
  }

  /** The instant, if this was said in that zone: {@code +0100} or {@code +01:00}; everything else is UTC. */
  Instant at(String zone) {
    Instant utc = date.atStartOfDay(ZoneOffset.UTC).toInstant().plusSeconds(secondOfDay);
    boolean ahead = zone.startsWith("+");
    if (!ahead && !zone.startsWith("-")) {
      return utc;
    }
    long seconds = 3600L * number(zone.substring(1, 3)) + 60L * number(zone.substring(zone.length() - 2));
    return utc.minusSeconds(ahead ? seconds : -seconds);
  }

  static int number(String digits) {
    return Integer.parseInt(digits);
  }

  private static int month(String month) {
    return month.length() == 3 ? MONTHS.indexOf(first3(month)) / 3 + 1 : number(month);
  }

  private static String first3(String name) {
    return name.substring(0, 3).toLowerCase(Locale.ROOT);
  }
}
