package dev.pacer.http;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * What time it was for the server when an answer arrived. An absolute time in a header was written by the
 * server's clock, so it is compared with the answer's own {@code Date}, not with the local clock, which may be
 * hours wrong (RFC 9110 §6.6.1, RFC 9111 §5.1).
 *
 * @param server the answer's {@code Date} plus its {@code Age}; the local time where there is no valid date
 * @param local when the answer arrived, by the local clock
 * @param age how long a cache has kept the answer; zero where none did
 */
public record ServerTime(Instant server, Instant local, Duration age) {

  private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
  private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");
  private static final Duration ABSURD = Duration.ofHours(24);

  /** Instants outside the years 0 to 9999 and ages outside 0 to {@link Figure#MAX} are moved to the nearest. */
  public ServerTime {
    server = bounded(server);
    local = bounded(local);
    age = age.isNegative() ? Duration.ZERO : age.compareTo(Figure.MAX) > 0 ? Figure.MAX : age;
  }

  /**
   * Reads the {@code Date} and {@code Age} lines of an answer. Of several the first valid date counts, and the
   * first age.
   *
   * @param received when the answer arrived, by the local clock
   */
  public static ServerTime of(List<String> date, List<String> age, Instant received) {
    Instant local = bounded(received);
    Duration old = age.isEmpty() ? Duration.ZERO : age(age.get(0));
    for (String line : date) {
      Instant sent = HttpDate.STRICT.read(Text.strip(line), local);
      if (sent != null) {
        return new ServerTime(bounded(sent).plus(old), local, old);
      }
    }
    return new ServerTime(local, local, old);
  }

  /** Whether the answer is a kept one, so that what it says is left was said to somebody else. */
  boolean cached() {
    return !age.isZero();
  }

  /** Whether the two clocks are so far apart that one of them must be wrong. */
  boolean absurd() {
    return Duration.between(local, server).abs().compareTo(ABSURD) > 0;
  }

  private static Duration age(String line) {
    BigDecimal seconds = Text.whole(Text.strip(line));
    return seconds == null ? Duration.ZERO : Figure.saturated(seconds.movePointRight(3));
  }

  private static Instant bounded(Instant instant) {
    return instant.isBefore(FIRST) ? FIRST : instant.isAfter(LAST) ? LAST : instant;
  }
}
