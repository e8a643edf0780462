package dev.pacer.http;

import java.util.Locale;
import java.util.TimeZone;
import java.util.stream.Stream;

/** Default locales and zones in which JVMs run; none may change what a header means. */
enum Places {
  LONDON("en-GB", "UTC"),
  BERLIN("de-DE", "Europe/Berlin"),
  CAIRO("ar-EG-u-nu-arab", "Africa/Cairo"),
  BANGKOK("th-TH-u-ca-buddhist-nu-thai", "Asia/Bangkok"),
  ISTANBUL("tr-TR", "Europe/Istanbul"),
  KOLKATA("hi-IN", "Asia/Kolkata"),
  NEW_YORK("en-US", "America/New_York");

  private final String locale;
  private final String zone;

  Places(String locale, String zone) {
    this.locale = locale;
    this.zone = zone;
  }

  static Stream<Places> all() {
    return Stream.of(values());
  }

  /** Moves the JVM there; run the answer to move it back. */
  Runnable move() {
    Locale home = Locale.getDefault();
    TimeZone clock = TimeZone.getDefault();
    Locale.setDefault(Locale.forLanguageTag(locale));
    TimeZone.setDefault(TimeZone.getTimeZone(zone));
    return () -> {
      Locale.setDefault(home);
      TimeZone.setDefault(clock);
    };
  }
}
