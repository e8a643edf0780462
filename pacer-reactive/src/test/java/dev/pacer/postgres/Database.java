package dev.pacer.postgres;

import dev.pacer.Cursor;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A database of a test's own, as an administrator sees it. Its methods block. */
record Database(String url) {
    private static final String NOW = "(date_part('epoch', clock_timestamp()) * 1000000)::bigint * 1000";

    static Database fresh() {
        return new Database(TestDatabase.shared().freshDatabase());
    }

    ConnectionFactory factory() {
        return ConnectionFactories.get(url);
    }

    Connection open() {
        return Mono.from(factory().create()).map(Connection.class::cast).block();
    }

    String name() {
        return url.replaceFirst("\\?.*", "").replaceFirst(".*/", "");
    }

    /** The same database for another user. */
    Database as(String user, String password) {
        return new Database(url.replaceFirst("//[^@]*@", "//" + user + ":" + password + "@"));
    }

    /** The same database, reached through something that listens on that port of this machine. */
    Database through(int port) {
        return new Database(url.replaceFirst("@[^/]*/", "@localhost:" + port + "/"));
    }

    String host() {
        return url.replaceFirst(".*@([^:/]*).*", "$1");
    }

    int port() {
        String port = url.replaceFirst("^[^@]*@[^:/]*:?(\\d*)/.*$", "$1");
        return port.isEmpty() ? 5432 : Integer.parseInt(port);
    }

    void run(String... statements) {
        Connection connection = open();
        try {
            for (String sql : statements) {
                run(connection, sql);
            }
        } finally {
            Mono.from(connection.close()).block();
        }
    }

    static void run(Connection connection, String sql) {
        Flux.from(connection.createStatement(sql).execute())
                .concatMap(result -> result.getRowsUpdated())
                .blockLast();
    }

    List<List<Object>> rows(String sql) {
        return Flux.usingWhen(factory().create(), connection -> rows(connection, sql), Connection::close)
                .collectList()
                .block();
    }

    static Flux<List<Object>> rows(Connection connection, String sql) {
        return Flux.from(connection.createStatement(sql).execute())
                .concatMap(result -> result.map((row, metadata) -> {
                    List<Object> values = new ArrayList<>();
                    for (int i = 0; i < metadata.getColumnMetadatas().size(); i++) {
                        values.add(row.get(i));
                    }
                    return values;
                }));
    }

    <T> T one(String sql, Class<T> type) {
        return type.cast(rows(sql).get(0).get(0));
    }

    /** The server's clock, as pacer reads it. */
    long now() {
        return one("SELECT " + NOW, Long.class);
    }

    /** The row that pacer's table has for a key, or null. */
    Cursor.Row row(String key) {
        return Flux.usingWhen(factory().create(), connection -> row(connection, key), Connection::close).blockFirst();
    }

    static Mono<Cursor.Row> row(Connection connection, String key) {
        return Flux.from(connection.createStatement(
                                "SELECT key, cursor, granted, read_at, seq, clamped, shut_until, strikes, generation, widening"
                                        + " FROM pacer_cursor WHERE key = $1")
                        .bind("$1", key)
                        .execute())
                .concatMap(result -> result.map((row, metadata) -> Work.row(row)))
                .next();
    }

    void createTable() {
        run(Ddl.text());
    }

    boolean hasTable(String name) {
        return one("SELECT to_regclass('" + name + "') IS NOT NULL", Boolean.class);
    }

    /** Puts a key's cursor so far ahead of the server's clock, or behind it. */
    void place(String key, Duration ahead) {
        run("INSERT INTO pacer_cursor VALUES ('" + key + "', " + NOW + " + " + ahead.toNanos() + ", 0, 0, 1, false, 0, 0, 0, 0)"
                + " ON CONFLICT (key) DO UPDATE SET cursor = EXCLUDED.cursor");
    }

    /** How many sessions of that name are on this database now. */
    long sessions(String applicationName) {
        return one(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = '"
                        + applicationName + "'",
                Long.class);
    }

    /** Ends the sessions of that name, and returns once they are gone. */
    void terminate(String applicationName) {
        run("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND application_name = '" + applicationName + "'");
    }

    /** Looks again and again until it is so; fails if it is not so in time. */
    static void await(String what, Duration patience, BooleanSupplier holds) {
        long end = System.nanoTime() + patience.toNanos();
        while (!holds.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + patience + ": " + what);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(5);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
