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
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.MonoSink;

/**
 * Looks at the rows of many keys in one statement. After an outage each key that is in use is looked at, by each process,
 * and one by one that would be as many statements.
 */
final class Looks implements Work<Looks.Seen> {

  private static final int MOST = 512;

  private final Map<String, List<MonoSink<Cursor.Row>>> onlookers;

  private Looks(Map<String, List<MonoSink<Cursor.Row>>> onlookers) {
    this.onlookers = onlookers;
  }

  /**
   * Somebody wants to know a key's row.
   *
   * @param alone whether it must have a statement to itself
   */
  record Look(String key, MonoSink<Cursor.Row> onlooker, boolean alone) {}

  /** A row as it is, or was a moment ago. */
  record Seen(String key, Cursor.Row row) {}

  /** Whatever waits now, up to a limit; null if nothing does. */
  static @Nullable Looks of(Queue<Look> looks) {
    Map<String, List<MonoSink<Cursor.Row>>> batch = new LinkedHashMap<>();
    for (Look next = looks.peek(); next != null && batch.size() < MOST; next = looks.peek()) {
      if (next.alone() && !batch.isEmpty()) {
        break;
      }
      looks.poll();
      batch.computeIfAbsent(next.key(), key -> new ArrayList<>(1)).add(next.onlooker());
      if (next.alone()) {
        break;
      }
    }
    return batch.isEmpty() ? null : new Looks(batch);
  }

  @Override
  public int size() {
    return onlookers.size();
  }

  @Override
  public boolean repeatable() {
    return true;
  }

  @Override
  public Statement statement(Connection connection, Sql sql) {
    return connection.createStatement(sql.peek).bind("$1", onlookers.keySet().toArray(String[]::new));
  }

  @Override
  public Seen read(Row row) {
    String key = row.get(0, String.class);
    if (key == null || !onlookers.containsKey(key)) {
      throw new NotOurs("it names the key " + key);
    }
    return new Seen(key, Work.row(row));
  }

  @Override
  public void answered(List<Seen> rows, long roundTripNanos, Consumer<Asked> again) {
    for (Seen seen : rows) {
      List<MonoSink<Cursor.Row>> told = onlookers.remove(seen.key());
      if (told != null) {
        told.forEach(onlooker -> onlooker.success(seen.row()));
      }
    }
    onlookers.values().forEach(none -> none.forEach(MonoSink::success));
  }

  @Override
  public void splits(Turns turns) {
    onlookers.forEach((key, each) -> each.forEach(onlooker -> turns.add(new Look(key, onlooker, /* alone= */ true))));
  }

  @Override
  public void failed(CursorException error) {
    onlookers.values().forEach(each -> each.forEach(onlooker -> onlooker.error(error)));
  }
}
