package dev.pacer.postgres;

import java.util.regex.Pattern;

/**
 * The statements, for one table. The arithmetic is that of {@code dev.pacer.Gcra#take} and {@code
 * dev.pacer.Backoff#stopped}, in SQL; tests hold the two together.
 *
 * <p>What was learnt from failures: the old cursor is read from the row that is being updated, and from
 * nowhere else, or updates are lost. The clock is read there too, once, and so after the row's lock was
 * waited for; only where the lock's holder changed nothing, or removed the row, is it not read again, and the
 * answer says how old the reading is. {@code OFFSET 0} keeps the planner from reading it more often. Keys are
 * taken in the order of the key column, or two processes deadlock.
 */
final class Sql {

  /** At most 55 characters for the table, so that its name and {@code _process} are a name too. */
  private static final Pattern NAME = Pattern.compile("([A-Za-z_][A-Za-z0-9_$]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_$]{0,54}");

  private static final String COLUMNS =
      "key, cursor, granted, read_at, seq, clamped, shut_until, strikes, generation, widening";

  private static final String CLOCK = "(date_part('epoch', clock_timestamp()) * 1000000)::bigint * 1000";

  /**
   * New cursor, granted, clock, sequence number, clamped; out of the row and the claim. In words, from the
   * inside out: read the clock, and how far apart slots are now; where the next one is placed; how long until
   * the first and the least of them are due; how many are granted.
   */
  private static final String TAKE =
      """
      SELECT CASE WHEN g > 0 THEN start + ((g * step + 255) >> 8) ELSE :cursor END,
             g, now, :seq + (g > 0)::int, clamped
        FROM (SELECT start, now, step, clamped,
                     CASE WHEN first + (((:least - 1) * step + 255) >> 8) > :within THEN 0
                          ELSE LEAST(:permits,
                                     ((:within - first) << 8) / step + 1,
                                     :ahead + CASE WHEN first > 0 THEN 0 ELSE ((-first) << 8) / step + 1 END)
                     END AS g
                FROM (SELECT start, now, step, clamped, start - tolerance - now AS first
                        FROM (SELECT GREATEST(CASE WHEN clamped THEN now ELSE :cursor END,
                                              CASE WHEN :floor > now + :horizon THEN now ELSE :floor END,
                                              :shut + tolerance,
                                              now) AS start,
                                     now, step, tolerance, clamped
                                FROM (SELECT now, :interval << wide AS step,
                                             ((((:burst + (1 << wide) - 1) >> wide) - 1) * (:interval << wide) + 255) >> 8
                                               AS tolerance,
                                             :cursor > now + :horizon AS clamped
                                        FROM (SELECT :clock AS now,
                                                     CASE WHEN :interval < 1::bigint << 50
                                                           AND :interval * :burst < 1::bigint << 56
                                                          THEN :widening ELSE 0 END AS wide
                                              OFFSET 0) clock
                                      OFFSET 0) read
                              OFFSET 0) placed
                      OFFSET 0) timed
              OFFSET 0) granted""";

  /** Granted, to a key whose row was made and asked for nothing. */
  static final long NOTHING_YET = -1;

  private static final String[] CLAIM = {
    "interval", "burst", "permits", "least", "ahead", "within", "floor", "horizon"
  };

  /**
   * New clock, end of the cooldown, strikes, generation, widening; out of the row and the stop: $2 the
   * vendor's figure or -1, $3 the generation the call was sent in, $4 the jitter, $5 to $8 first, cap, least
   * and decay of the backoff, $9 how wide.
   */
  private static final String STOP =
      """
      SELECT now,
             GREATEST(:shut,
                      CASE WHEN $2::bigint >= 0 THEN now + GREATEST($2::bigint, $7::bigint)
                           WHEN fresh > 0
                           THEN now + LEAST($6::bigint, $5::bigint << LEAST(n - 1, 16)) + $4::bigint
                           ELSE 0 END),
             n, GREATEST(:generation, CASE WHEN $3::bigint < 9223372036854775807 THEN $3::bigint ELSE 0 END) + fresh,
             LEAST(:widening + fresh, $9::int)
        FROM (SELECT now, fresh,
                     CASE WHEN fresh > 0
                          THEN GREATEST(0, :strikes - GREATEST(0, now - :shut) / $8::bigint)::int + 1
                          ELSE :strikes END AS n
                FROM (SELECT now,
                             CASE WHEN $3::bigint = 9223372036854775807 THEN now >= :shut
                                  ELSE $3::bigint >= :generation END::int AS fresh
                        FROM (SELECT :clock AS now OFFSET 0) clock
                      OFFSET 0) judged
              OFFSET 0) counted""";

  /** Takes slots of one key that has a row: $1 key, $2 to $9 the claim. No row comes back if it has none. */
  final String takeOne;

  /**
   * Takes slots of many keys that have rows: $1 keys, $2 to $9 the claims, each an array. A key that has none after all
   * gets one, and {@link #NOTHING_YET}.
   */
  final String takeMany;

  /** The same for keys that may be new, at a quarter more of the server's time. */
  final String takeNew;

  /** $1 key, $2 cursor and $3 sequence number as they must be, $4 the new cursor. */
  final String giveBack;

  /** Shuts a gate, and tells everybody: $1 key, $2 to $9 the stop, $10 the channel. */
  final String coolDown;

  /** $1 key, $2 the generation the calls were sent in, $3 how much narrower, $4 the channel. */
  final String relax;

  /** $1 keys. */
  final String peek;

  /** Says that process $1 is there, forgets those not heard of for $2, and counts the rest. */
  final String checkIn;

  /** Answers like {@link #checkIn}, and counts nobody: $1 the process. */
  final String probe;

  final String create;

  /** On which notices go, one channel per table. */
  final String channel;

  Sql(String table) {
    if (!NAME.matcher(table).matches()) {
      throw new IllegalArgumentException(
          "table must be a plain name of at most 55 characters, or schema.name, of letters, digits, _ and $, was \"" + table + "\"");
    }
    String quoted = "\"" + table.replace(".", "\".\"") + "\"";
    String answer = " RETURNING c." + COLUMNS.replace(" ", " c.");
    String aged = answer + ", " + CLOCK + " - c.read_at";
    String taken = "(cursor, granted, read_at, seq, clamped)";
    this.channel = "pacer_" + Integer.toHexString(table.hashCode());
    this.takeOne =
        "UPDATE " + quoted + " AS c SET " + taken + " = (" + take("$%d::bigint", true) + ") WHERE c.key = $1" + aged;
    // the insert carries the key's place in the arrays as its first sequence number
    String keys = " FROM unnest($1::text[]) WITH ORDINALITY AS asked(key, i)";
    String insert = "INSERT INTO " + quoted + " AS c (" + COLUMNS + ")";
    String orUpdate =
        " ORDER BY asked.key COLLATE \"C\""
            + " ON CONFLICT (key) DO UPDATE SET " + taken + " = (" + take("($%d::bigint[])[EXCLUDED.seq]", true) + ")"
            + aged;
    this.takeMany =
        insert + " SELECT asked.key, 0, " + NOTHING_YET + ", 0, asked.i, false, 0, 0, 0, 0" + keys + orUpdate;
    this.takeNew =
        insert + " SELECT asked.key, taken.cursor, taken.granted, taken.read_at, asked.i, taken.clamped, 0, 0, 0, 0"
            + keys + ", LATERAL (" + take("($%d::bigint[])[asked.i]", false) + ") AS taken" + taken
            + orUpdate;
    this.giveBack =
        "UPDATE " + quoted + " AS c SET cursor = $4, granted = 0, seq = c.seq + 1"
            + " WHERE c.key = $1 AND c.cursor = $2 AND c.seq = $3 RETURNING c.key";
    String gate = "(read_at, shut_until, strikes, generation, widening)";
    this.coolDown =
        told(
            "INSERT INTO " + quoted + " AS c (" + COLUMNS + ")"
                + " SELECT $1, 0, 0, stop.read_at, 0, false, stop.shut_until, stop.strikes, stop.generation,"
                + " stop.widening FROM (" + row(STOP, false) + ") AS stop" + gate
                + " ON CONFLICT (key) DO UPDATE SET " + gate + " = (" + row(STOP, true) + ")" + answer,
            "$10");
    this.relax =
        told(
            "UPDATE " + quoted + " AS c SET strikes = 0, widening = GREATEST(0, c.widening - $3::int), read_at = " + CLOCK
                + " WHERE c.key = $1 AND c.generation <= $2" + answer,
            "$4");
    this.peek = "SELECT c." + COLUMNS.replace(" ", " c.").replace("c.read_at", CLOCK) + " FROM " + quoted + " AS c WHERE c.key = ANY($1)";
    // changes nothing, and fails where a claim would: read-only, locked, not ours, or not what it was
    String usable =
        "INSERT INTO " + quoted + " AS c (" + COLUMNS + ") SELECT " + COLUMNS + " FROM " + quoted + " WHERE false"
            + " ON CONFLICT (key) DO UPDATE SET cursor = EXCLUDED.cursor";
    String processes = quoted.substring(0, quoted.length() - 1) + "_process\"";
    this.checkIn =
        // all come back at once after an outage: whoever waited here for each other would deadlock
        "WITH usable AS (" + usable + "),"
            + " gone AS (DELETE FROM " + processes + " WHERE id IN (SELECT id FROM " + processes
            + " WHERE id <> $1 AND seen_at < " + CLOCK + " - $2::bigint FOR UPDATE SKIP LOCKED)),"
            + " here AS (INSERT INTO " + processes + " AS p (id, seen_at) VALUES ($1, " + CLOCK + ")"
            + " ON CONFLICT (id) DO UPDATE SET seen_at = EXCLUDED.seen_at RETURNING p.id, p.seen_at)"
            + " SELECT id, 1 + (SELECT count(*) FROM " + processes + " AS o"
            + " WHERE o.id <> here.id AND o.seen_at >= here.seen_at - $2::bigint), seen_at FROM here";
    this.probe = "WITH usable AS (" + usable + ") SELECT $1::text, 0, " + CLOCK;
    this.create = Ddl.text(quoted, processes);
  }

  /** The statement, and a notice about its row: remaining nanoseconds, strikes, generation, widening, key. */
  private static String told(String statement, String channel) {
    return "WITH told AS (" + statement + ") SELECT " + COLUMNS + ", pg_notify(" + channel
        + ", concat_ws(' ', GREATEST(0, shut_until - read_at), strikes, generation, widening, key)) FROM told";
  }

  private static String take(String parameter, boolean known) {
    String sql = row(TAKE, known);
    for (int i = 0; i < CLAIM.length; i++) {
      sql = sql.replace(":" + CLAIM[i], parameter.formatted(i + 2));
    }
    return sql.replaceAll("\\s+", " "); // the driver parses the text anew for each execution
  }

  /** With the columns of the row that is being updated, or of a key that was never used. */
  private static String row(String sql, boolean known) {
    return sql.replace(":clock", CLOCK)
        .replace(":cursor", known ? "c.cursor" : "0::bigint")
        .replace(":seq", known ? "c.seq" : "0::bigint")
        .replace(":shut", known ? "c.shut_until" : "0::bigint")
        .replace(":strikes", known ? "c.strikes" : "0")
        .replace(":generation", known ? "c.generation" : "0::bigint")
        .replace(":widening", known ? "c.widening" : "0");
  }
}
