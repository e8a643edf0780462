package dev.pacer.postgres;

import dev.pacer.Cursor;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Pacer's table in a database of a test's own, as an administrator sees it. Its methods block. */
record GateTable(String url, Connection connection) implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String NOW = "(date_part('epoch', clock_timestamp()) * 1000000)::bigint * 1000";

  static GateTable fresh() {
    return on(TestDatabase.shared().freshDatabase());
  }

  static GateTable on(String url) {
    GateTable table = new GateTable(url, Mono.from(ConnectionFactories.get(url).create()).map(Connection.class::cast).block(PATIENCE));
    table.run(Ddl.text());
    return table;
  }

  void run(String sql) {
    Flux.from(connection.createStatement(sql).execute())
        .concatMap(result -> result.getRowsUpdated())
        .blockLast(PATIENCE);
  }

  /** The server's clock, as pacer reads it. */
  long now() {
    return numbers("SELECT " + NOW).get(0);
  }

  List<Long> numbers(String sql) {
    return Flux.from(connection.createStatement(sql).execute())
        .concatMap(result -> result.map((row, metadata) -> ((Number) row.get(0)).longValue()))
        .collectList()
        .block(PATIENCE);
  }

  void put(String key, Cursor.Row row) {
    Cursor.Gate gate = row.gate();
    run("INSERT INTO pacer_cursor VALUES ('%s', %d, %d, %d, %d, %b, %d, %d, %d, %d)"
        .formatted(key, row.cursor(), row.granted(), row.readAt(), row.seq(), row.clamped(),
            gate.shutUntil(), gate.strikes(), gate.generation(), gate.widening()));
  }

  Cursor.Row row(String key) {
    return Flux.from(connection
            .createStatement("SELECT key, cursor, granted, read_at, seq, clamped, shut_until, strikes, generation, widening"
                + " FROM pacer_cursor WHERE key = $1")
            .bind("$1", key)
            .execute())
        .concatMap(result -> result.map((row, metadata) -> Work.row(row)))
        .blockFirst(PATIENCE);
  }

  /** Ends the sessions of that name, and returns once they are gone. */
  void terminate(String applicationName) {
    numbers("SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
        + " WHERE datname = current_database() AND application_name = '" + applicationName + "'");
  }

  @Override
  public void close() {
    Mono.from(connection.close()).block(PATIENCE);
  }
}
