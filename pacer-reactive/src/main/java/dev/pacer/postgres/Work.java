package dev.pacer.postgres;

import dev.pacer.Cursor;
import dev.pacer.CursorException;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.Row;
import io.r2dbc.spi.Statement;
import java.util.List;
import java.util.function.Consumer;

/**
 * A statement to be run, for one caller or for many, and what becomes of its answer. Exactly one of {@code
 * answered}, {@code splits} and {@code failed} is called in the end.
 */
interface Work<R> {

  /** How many keys it is about. */
  int size();

  /** Whether it may be run again when nobody knows whether it was carried out. */
  boolean repeatable();

  Statement statement(Connection connection, Sql sql);

  R read(Row row);

  /** Serves the callers; claims that have to be made again, in another way, go to {@code again}. */
  void answered(List<R> rows, long roundTripNanos, Consumer<Asked> again);

  /** The keys are to have their turns one by one. */
  void splits(Turns turns);

  void failed(CursorException error);

  /** The key's row, as every statement but a refund answers with it. */
  static Cursor.Row row(Row row) {
    Cursor.Gate gate =
        new Cursor.Gate(
            number(row, 6), Math.toIntExact(number(row, 7)), number(row, 8), Math.toIntExact(number(row, 9)));
    return new Cursor.Row(
        number(row, 1),
        number(row, 2),
        number(row, 3),
        number(row, 4),
        Boolean.TRUE.equals(row.get(5, Boolean.class)),
        gate);
  }

  static long number(Row row, int column) {
    Number number = row.get(column, Number.class);
    if (number == null) {
      throw new NotOurs("column " + column + " is null");
    }
    return number.longValue();
  }

  /** An answer to some other statement, as PgBouncer may give in transaction mode. */
  final class NotOurs extends RuntimeException {
    NotOurs(String why) {
      super("the answer is not to pacer's statement: " + why, null, false, false);
    }
  }
}
