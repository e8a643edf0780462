package dev.pacer.postgres;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.testcontainers.postgresql.PostgreSQLContainer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A real PostgreSQL for tests. The system property {@code pacer.test.database} says which:
 *
 * <ul>
 *   <li>{@code testcontainers}: a container; the default where a Docker engine answers;
 *   <li>{@code embedded}: a server unpacked into a temporary directory; the default elsewhere;
 *   <li>an {@code r2dbc:postgresql:} URL: a server that runs already. Its user must be allowed to create databases.
 * </ul>
 *
 * <p>Safe for use by several threads. Its methods block. Whatever was started or created is gone when the JVM ends.
 */
public final class TestDatabase {
    private static final String PROPERTY = "pacer.test.database";
    private static final String IMAGE = "postgres:17-alpine";
    private static final Pattern R2DBC_URL = Pattern.compile("(r2dbc:[^?]*://[^/?]+)(?:/[^?]*)?(\\?.*)?");
    private static final String DATABASE_PREFIX =
            "pacer_test_" + UUID.randomUUID().toString().substring(0, 8) + "_";
    private static final AtomicInteger databases = new AtomicInteger();

    private static @Nullable TestDatabase shared;

    private final String url;
    private final @Nullable EmbeddedServer stoppable;
    /** Whether the server outlives this JVM, so that databases created on it must be dropped. */
    private final boolean borrowed;

    private TestDatabase(String url, @Nullable EmbeddedServer stoppable, boolean borrowed) {
        this.url = url;
        this.stoppable = stoppable;
        this.borrowed = borrowed;
        // The first connection of a JVM loads Netty's native library, which blocks: here it may, but inside a
        // connection pool BlockHound would forbid it and the pool would wait for ever.
        execute("select 1");
    }

    /** The one server that all tests of this JVM share; the first call starts it. */
    public static synchronized TestDatabase shared() {
        if (shared == null) {
            shared = start(System.getProperty(PROPERTY, ""));
        }
        return shared;
    }

    /** A new embedded server for one test, which may {@link #stop()} and {@link #start()} it. */
    public static TestDatabase startPrivate() {
        EmbeddedServer server = new EmbeddedServer();
        return new TestDatabase(embeddedUrl(server), server, /* borrowed= */ false);
    }

    /** An {@code r2dbc:postgresql:} URL with user and password. */
    public String url() {
        return url;
    }

    /** Unpooled connections to {@link #url()}. */
    public ConnectionFactory connectionFactory() {
        return ConnectionFactories.get(url);
    }

    /** Creates an empty database on this server and returns its URL. */
    public String freshDatabase() {
        String name = DATABASE_PREFIX + databases.incrementAndGet();
        execute("create database " + name);
        if (borrowed) {
            Runtime.getRuntime().addShutdownHook(
                    new Thread(() -> execute("drop database if exists " + name + " with (force)"), "drop-" + name));
        }
        Matcher matcher = R2DBC_URL.matcher(url);
        if (!matcher.matches()) {
            throw new IllegalStateException(PROPERTY + " must look like r2dbc:postgresql://host/database, was " + url);
        }
        return matcher.replaceFirst("$1/" + name + "$2");
    }

    /** Shuts a private server down, ending every session; returns once it is down. */
    public void stop() {
        privateServer().stop();
    }

    /** Starts a private server again after {@link #stop()}, with the same URL and data; returns once it answers. */
    public void start() {
        privateServer().start();
    }

    private EmbeddedServer privateServer() {
        if (stoppable == null) {
            throw new IllegalStateException("only a server from startPrivate() can be stopped and started");
        }
        return stoppable;
    }

    private void execute(String sql) {
        Mono.usingWhen(
                        connectionFactory().create(),
                        connection -> Flux.from(connection.createStatement(sql).execute())
                                .flatMap(result -> result.getRowsUpdated())
                                .then(),
                        Connection::close)
                .block();
    }

    private static TestDatabase start(String choice) {
        if (choice.startsWith("r2dbc:")) {
            return new TestDatabase(choice, null, /* borrowed= */ true);
        }
        return switch (choice) {
            case "" -> start(DockerEngine.answers() ? "testcontainers" : "embedded");
            case "embedded" -> new TestDatabase(embeddedUrl(new EmbeddedServer()), null, /* borrowed= */ false);
            case "testcontainers" -> startContainer();
            default -> throw new IllegalArgumentException(
                    PROPERTY + " must be embedded, testcontainers or an r2dbc: URL, was " + choice);
        };
    }

    private static TestDatabase startContainer() {
        PostgreSQLContainer container = new PostgreSQLContainer(IMAGE)
                .withCommand("postgres", "-c", "fsync=off", "-c", "max_connections=300");
        container.start();
        Runtime.getRuntime().addShutdownHook(new Thread(container::stop, "stop-" + container.getContainerId()));
        String url = "r2dbc:postgresql://%s:%s@%s:%d/%s".formatted(
                container.getUsername(),
                container.getPassword(),
                container.getHost(),
                container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT),
                container.getDatabaseName());
        return new TestDatabase(url, null, /* borrowed= */ false);
    }

    /** The embedded server trusts whoever comes; the password is there for clients that insist on one. */
    private static String embeddedUrl(EmbeddedServer server) {
        return "r2dbc:postgresql://postgres:postgres@localhost:%d/postgres".formatted(server.port());
    }
}
