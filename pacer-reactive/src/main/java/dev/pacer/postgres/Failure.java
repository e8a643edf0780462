package dev.pacer.postgres;

import dev.pacer.CursorException;
import io.r2dbc.spi.R2dbcException;
import io.r2dbc.spi.R2dbcNonTransientResourceException;
import io.r2dbc.spi.R2dbcTransientResourceException;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * What an error of the database means, by SQLSTATE: the driver's exception classes do not tell (a shutdown, a
 * lock time limit and a read-only server are all "non-transient").
 */
enum Failure {
  /** Another session was in the way: try again on the same connection. */
  CONTENTION,
  /** The connection or the server is of no more use: try again on another connection. */
  CONNECTION,
  /** There is no table. */
  NO_TABLE,
  /** The same again would fail again. */
  FINAL;

  private static final Set<String> POOLER = Set.of("42P05", "26000", "08P01");

  static Failure of(Throwable error) {
    String state = state(error);
    if (state == null) {
      return error instanceof TimeoutException
              || error instanceof IOException
              || error instanceof R2dbcNonTransientResourceException
              || error instanceof R2dbcTransientResourceException
          ? CONNECTION
          : FINAL;
    }
    return switch (state) {
      case "40001", "40P01", "55P03", "57014" -> CONTENTION;
      case "42P01" -> NO_TABLE;
      case "25006", "25P03", "25P04" -> CONNECTION;
      case "08P01" -> FINAL; // parameters for another statement than the server thinks
      default ->
          state.startsWith("08") || state.startsWith("57P") || state.startsWith("53") ? CONNECTION : FINAL;
    };
  }

  /** 16 processes creating the table at once: for all but one of them somebody else was faster. */
  static boolean isSomebodyWasFaster(Throwable error) {
    String state = state(error);
    return "23505".equals(state) || "42P07".equals(state) || "42710".equals(state);
  }

  /**
   * How far it goes, when nothing has helped. What is wrong with the set-up is said to the first call; if it had been
   * right before, somebody has changed the database, and calls need not suffer for that.
   */
  private static CursorException.Extent extent(Throwable error, boolean wasRight) {
    String state = state(error);
    return switch (of(error)) {
      case CONNECTION -> CursorException.Extent.ALL;
      case CONTENTION -> isTooSlow(error) ? CursorException.Extent.ALL : CursorException.Extent.KEY;
      case NO_TABLE -> wasRight ? CursorException.Extent.ALL : CursorException.Extent.CALL;
      case FINAL ->
          !wasRight || isAboutTheCall(state, error)
              ? CursorException.Extent.CALL
              : isAboutTheRow(state) ? CursorException.Extent.KEY : CursorException.Extent.ALL;
    };
  }

  /** What a trigger or a view has against one row, or a page that cannot be read. */
  private static boolean isAboutTheRow(@Nullable String state) {
    return state != null && state.matches("P0.*|44.*|XX.*");
  }

  /** Data, or a pooler that mixes up statements. */
  private static boolean isAboutTheCall(@Nullable String state, Throwable error) {
    return error instanceof Work.NotOurs
        || (state != null && (state.matches("2[123].*") || POOLER.contains(state)));
  }

  /** Whether the server has given up on a statement for its time, rather than for a lock. */
  static boolean isTooSlow(Throwable error) {
    return "57014".equals(state(error));
  }

  /** Whether a table is not there, or not ours to use. */
  static boolean isForbidden(Throwable error) {
    String state = state(error);
    return state != null && Set.of("42501", "42P01", "42703", "3F000").contains(state);
  }

  /** @param wasRight whether the database has answered before */
  static CursorException explain(Throwable error, String table, boolean wasRight) {
    String state = state(error);
    String what = state == null ? error.toString() : error.getMessage() + " [" + state + "]";
    Throwable root = error;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String why = error.getCause() == null || what.contains(String.valueOf(root.getMessage())) ? "" : " (" + root + ")";
    String message = "PostgreSQL: " + what + why + advice(state == null ? "" : state, table);
    return new CursorException(message, error, extent(error, wasRight));
  }

  private static String advice(String state, String table) {
    return switch (state) {
      case "42P01", "3F000" ->
          ". Create the table with the migration that pacer ships as " + Ddl.RESOURCE
              + ", or let it be created (createTable), or name another one (table); now it is " + table;
      case "42501" ->
          ". The role needs: GRANT SELECT, INSERT, UPDATE ON " + table
              + " (and DELETE too on " + table + "_process), and USAGE on its schema; and CREATE on its schema if"
              + " pacer is to create the tables (else create it with the shipped " + Ddl.RESOURCE + " and set createTable(false))";
      case "42703", "42804" ->
          ". The table " + table + " is not the one that pacer ships as " + Ddl.RESOURCE;
      case "42P05", "26000", "08P01" ->
          ". This looks like PgBouncer in transaction mode: connect directly, or set"
              + " preparedStatementCacheQueries=0 in the R2DBC URL";
      default -> "";
    };
  }

  private static @Nullable String state(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof R2dbcException database && database.getSqlState() != null) {
        return database.getSqlState();
      }
    }
    return null;
  }
}
