package dev.pacer.postgres;

import dev.pacer.Cursor;
import dev.pacer.CursorException;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.Row;
import io.r2dbc.spi.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The claims of many keys in one statement, each key once. */
final class Batch implements Work<Batch.Taken> {

  private static final int MOST = 512;

  /** How long before the answer left the server its clock may have been read, in nanoseconds. */
  private static final long STALE = 20_000_000;

  private static final int MOST_STALE = 5;

  private static final List<ToLongFunction<Cursor.Claim>> PARAMETERS =
      List.of(
          claim -> claim.gcra().interval(),
          claim -> claim.gcra().burst(),
          Cursor.Claim::permits,
          Cursor.Claim::least,
          Cursor.Claim::ahead,
          Cursor.Claim::withinNanos,
          Cursor.Claim::floor,
          Cursor.Claim::horizonNanos);

  private final Map<String, Asked> asked;

  private Batch(Map<String, Asked> asked) {
    this.asked = asked;
  }

  /** Whatever waits now, up to a limit; null if nothing does. */
  static @Nullable Batch of(Queue<Asked> claims) {
    Map<String, Asked> batch = new LinkedHashMap<>();
    List<Asked> later = new ArrayList<>(0);
    for (Asked next = claims.poll(); next != null; next = claims.poll()) {
      if (next.alone() && !batch.isEmpty()) {
        later.add(next);
      } else {
        Asked twin = batch.putIfAbsent(next.claim().key(), next);
        if (twin != null) {
          later.add(next);
        }
      }
      if (next.alone() || batch.size() == MOST) {
        break;
      }
    }
    claims.addAll(later);
    return batch.isEmpty() ? null : new Batch(batch);
  }

  @Override
  public int size() {
    return asked.size();
  }

  @Override
  public boolean repeatable() {
    return true; // at worst some slots are wasted
  }

  @Override
  public Statement statement(Connection connection, Sql sql) {
    if (asked.size() == 1) {
      Asked only = asked.values().iterator().next();
      if (only.known()) {
        return one(connection.createStatement(sql.takeOne), only.claim());
      }
    }
    boolean known = asked.values().stream().allMatch(Asked::known);
    Statement statement = connection.createStatement(known ? sql.takeMany : sql.takeNew);
    statement.bind("$1", asked.keySet().toArray(String[]::new));
    for (int i = 0; i < PARAMETERS.size(); i++) {
      ToLongFunction<Cursor.Claim> parameter = PARAMETERS.get(i);
      statement.bind(
          "$" + (i + 2),
          asked.values().stream().map(a -> parameter.applyAsLong(a.claim())).toArray(Long[]::new));
    }
    return statement;
  }

  private static Statement one(Statement statement, Cursor.Claim claim) {
    statement.bind("$1", claim.key());
    for (int i = 0; i < PARAMETERS.size(); i++) {
      statement.bind("$" + (i + 2), PARAMETERS.get(i).applyAsLong(claim));
    }
    return statement;
  }

  @Override
  public Taken read(Row row) {
    String key = row.get(0, String.class);
    if (key == null || !asked.containsKey(key)) {
      throw new NotOurs("it names the key " + key);
    }
    return new Taken(key, Work.row(row), Work.number(row, 10));
  }

  @Override
  public void answered(List<Taken> rows, long roundTripNanos, Consumer<Asked> again) {
    for (Taken row : rows) {
      Asked served = asked.remove(row.key());
      if (served != null && row.row().granted() == Sql.NOTHING_YET) {
        again.accept(served.asNew()); // somebody had removed the row
      } else if (served != null && row.age() > STALE && served.stale() < MOST_STALE) {
        // it waited for a lock whose holder left the row as it was, or gone: its slots lie in the past
        again.accept(served.asStale());
      } else if (served != null) {
        served.sink().success(served.claim().grant(row.row(), roundTripNanos));
      }
    }
    for (Asked missing : asked.values()) {
      if (missing.known()) {
        again.accept(missing.asNew()); // somebody has removed the row
      } else {
        missing.sink().error(new CursorException("PostgreSQL granted and refused nothing to " + missing.claim(), null));
      }
    }
  }

  @Override
  public void splits(Turns turns) {
    asked.values().forEach(one -> turns.add(one.byItself()));
  }

  @Override
  public void failed(CursorException error) {
    asked.values().forEach(one -> one.sink().error(error));
  }

  /** A row as it came back. */
  record Taken(String key, Cursor.Row row, long age) {}
}
