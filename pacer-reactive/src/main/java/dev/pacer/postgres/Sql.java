package dev.pacer.postgres;

import java.util.regex.Pattern;

/**
 * The statements, for one table. {@code arithmetic} is {@code dev.pacer.Gcra#take} in SQL; a test holds the
 * two together.
 *
 * <p>What was learnt from failures: the old cursor is read from the row that is being updated, and from
 * nowhere else, or updates are lost. The clock is read there too, once, and so after the row's lock was
 * waited for; only where the lock's holder changed nothing, or removed the row, is it not read again, and the
 * answer says how old the reading is. {@code OFFSET 0} keeps the planner from reading it more often. Keys are
 * taken in the order of the key column, or two processes deadlock.
 */
final class Sql {

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_$]{0,62}(\\.[A-Za-z_][A-Za-z0-9_$]{0,62})?");

  private static final String ANSWER =
      " RETURNING c.key, c.cursor, c.granted, c.read_at, c.seq, c.clamped,"
          + " (date_part('epoch', clock_timestamp()) * 1000000)::bigint * 1000 - c.read_at";

  /**
   * New cursor, granted, clock, sequence number, clamped; out of :cursor, :seq and the claim. In words, from
   * the inside out: read the clock; where the next slot starts; how long until the first and the least of the
   * slots are due; how many are granted.
   */
  private static final String ARITHMETIC =
      """
      SELECT start + ((g * :interval + 255) >> 8), g, now, :seq + (g > 0)::int, clamped
        FROM (SELECT start, now, clamped,
                     CASE WHEN first + (((:least - 1) * :interval + 255) >> 8) > :within THEN 0
                          ELSE LEAST(:permits,
                                     ((:within - first) << 8) / :interval + 1,
                                     :ahead + CASE WHEN first > 0 THEN 0 ELSE ((-first) << 8) / :interval + 1 END)
                     END AS g
                FROM (SELECT start, now, clamped, start - :tolerance - now AS first
                        FROM (SELECT GREATEST(CASE WHEN :cursor > now + :horizon THEN now ELSE :cursor END,
                                              CASE WHEN :floor > now + :horizon THEN now ELSE :floor END,
                                              now) AS start,
                                     now, :cursor > now + :horizon AS clamped
                                FROM (SELECT (date_part('epoch', clock_timestamp()) * 1000000)::bigint * 1000 AS now
                                      OFFSET 0) clock
                              OFFSET 0) placed
                      OFFSET 0) timed
              OFFSET 0) granted""";

  private static final String[] CLAIM = {
    "interval", "tolerance", "permits", "least", "ahead", "within", "floor", "horizon"
  };

  /** Takes slots of one key that has a row: $1 key, $2 to $9 the claim. No row comes back if it has none. */
  final String takeOne;

  /** Takes slots of many keys, or of new ones: $1 keys, $2 to $9 the claims, each an array. */
  final String takeMany;

  /** $1 key, $2 cursor and $3 sequence number as they must be, $4 the new cursor. */
  final String giveBack;

  /** $1 key. */
  final String peek;

  final String create;

  Sql(String table) {
    if (!NAME.matcher(table).matches()) {
      throw new IllegalArgumentException(
          "table must be a plain name, or schema.name, of letters, digits, _ and $, was \"" + table + "\"");
    }
    String quoted = "\"" + table.replace(".", "\".\"") + "\"";
    String columns = "(cursor, granted, read_at, seq, clamped)";
    this.takeOne =
        "UPDATE " + quoted + " AS c SET " + columns + " = ("
            + arithmetic("c.cursor", "c.seq", "$%d::bigint") + ") WHERE c.key = $1" + ANSWER;
    this.takeMany =
        "INSERT INTO " + quoted + " AS c (key, cursor, granted, read_at, seq, clamped)"
            + " SELECT asked.key, taken.cursor, taken.granted, taken.read_at, asked.i, false"
            // the insert carries the key's place in the arrays as its first sequence number
            + " FROM unnest($1::text[]) WITH ORDINALITY AS asked(key, i),"
            + " LATERAL (" + arithmetic("0", "0", "($%d::bigint[])[asked.i]")
            + ") AS taken(cursor, granted, read_at, seq, clamped)"
            + " ORDER BY asked.key COLLATE \"C\""
            + " ON CONFLICT (key) DO UPDATE SET " + columns + " = ("
            + arithmetic("c.cursor", "c.seq", "($%d::bigint[])[EXCLUDED.seq]") + ")" + ANSWER;
    this.giveBack =
        "UPDATE " + quoted + " AS c SET cursor = $4, granted = 0, seq = c.seq + 1"
            + " WHERE c.key = $1 AND c.cursor = $2 AND c.seq = $3 RETURNING c.key";
    this.peek =
        "SELECT c.key, c.cursor - (date_part('epoch', clock_timestamp()) * 1000000)::bigint * 1000 FROM "
            + quoted + " AS c WHERE c.key = $1";
    this.create = Ddl.text().replace("pacer_cursor", quoted);
  }

  private static String arithmetic(String cursor, String seq, String parameter) {
    String sql = ARITHMETIC.replace(":cursor", cursor).replace(":seq", seq);
    for (int i = 0; i < CLAIM.length; i++) {
      sql = sql.replace(":" + CLAIM[i], parameter.formatted(i + 2));
    }
    return sql.replaceAll("\\s+", " "); // the driver parses the text anew for each execution
  }
}
