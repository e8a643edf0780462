package dev.pacer.postgres;

import dev.pacer.CursorException;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.Row;
import io.r2dbc.spi.Statement;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.MonoSink;

/** A statement of one caller, about one key, that answers with that key's row or none. */
record Single<T>(
    String key,
    BiFunction<Connection, Sql, Statement> prepare,
    Function<Row, T> reader,
    boolean repeatable,
    MonoSink<T> sink)
    implements Work<T> {

  @Override
  public int size() {
    return 1;
  }

  @Override
  public Statement statement(Connection connection, Sql sql) {
    return prepare.apply(connection, sql);
  }

  @Override
  public T read(Row row) {
    String echo = row.get(0, String.class);
    if (!key.equals(echo)) {
      throw new NotOurs("it names the key " + echo);
    }
    return reader.apply(row);
  }

  @Override
  public void answered(List<T> rows, long roundTripNanos, Consumer<Asked> again) {
    if (rows.isEmpty()) {
      sink.success();
    } else {
      sink.success(rows.get(0));
    }
  }

  @Override
  public void splits(Turns turns) {
    throw new IllegalStateException("one caller cannot be split");
  }

  @Override
  public void failed(CursorException error) {
    sink.error(error);
  }
}
