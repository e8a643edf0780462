package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pacer.Cursor;
import dev.pacer.CursorException;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryMetadata;
import io.r2dbc.spi.R2dbcException;
import io.r2dbc.spi.R2dbcPermissionDeniedException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

class SessionIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Database database = Database.fresh();

    @Test
    void theSessionIsSetUpAsPromisedWhateverTheDatabasesDefaults() {
        alter("default_transaction_isolation = 'serializable'", "lock_timeout = 250",
                "synchronous_commit = on", "application_name = 'other'", "idle_session_timeout = '1s'",
                "statement_timeout = 250");
        assertThat(settings(cursors(builder -> builder)))
                .containsExactly("pacer", "off", "read committed", "400ms", "100ms", "0");
    }

    @Test
    void theSettingsCanBeChosen() {
        assertThat(settings(cursors(builder -> builder
                        .applicationName("it's %d \\ pacer")
                        .synchronousCommit(true)
                        .timeLimit(Duration.ofSeconds(5)))))
                .containsExactly("it's %d \\ pacer", "on", "read committed", "4s", "1s", "0");
    }

    @Test
    @DisplayName("C079: one round trip a reservation, time limits and all, once the connection is set up")
    void aReservationIsOneRoundTrip() {
        try (TestProxy proxy = new TestProxy(database)) {
            PostgresCursor cursor = cursors.on(database.through(proxy.port()));
            for (int i = 0; i < 10; i++) { // the driver prepares a statement in a round trip of its own
                take(cursor, "key");
            }
            int before = proxy.roundTrips();
            for (int i = 0; i < 100; i++) {
                take(cursor, "key");
            }
            assertThat(proxy.roundTrips() - before).isEqualTo(100);
            assertThat(proxy.connections()).isOne();
        }
    }

    @Test
    void aSessionThatIsEndedBetweenReservationsFailsNoCall() {
        PostgresCursor cursor = cursors.on(database);
        for (int i = 0; i < 5; i++) {
            take(cursor, "key");
            database.terminate("pacer");
        }
        assertThat(cursor.peek("key").block(PATIENCE)).isNotNull();
    }

    @Test
    void sessionsThatAreEndedUnderTrafficFailNoCallAndLeaveOneConnection() throws InterruptedException {
        RecordingCursor places = new RecordingCursor(cursors.on(database));
        Pacer pacer = cursors.pacer(places, builder -> builder.defaultPace(Pace.perSecond(200)));
        pacer.reserve("key").block(PATIENCE);
        AtomicBoolean going = new AtomicBoolean(true);
        Thread ends = new Thread(() -> {
            while (going.get()) {
                database.terminate("pacer");
                LockSupport.parkNanos(Duration.ofMillis(150).toNanos());
            }
        });
        ends.start();
        Flux.range(0, 400).flatMap(i -> pacer.reserve("key"), 400).blockLast(PATIENCE);
        going.set(false);
        ends.join();
        Slots.assertApart(places.places(), Duration.ofMillis(5));
        Database.await("one session", PATIENCE, () -> database.sessions("pacer") <= 1);
    }

    @Test
    @DisplayName("C071: a black hole is given up within the time limit, and healed")
    void aBlackHoleIsGivenUpWithinTheLimitAndHealed() {
        try (TestProxy proxy = new TestProxy(database)) {
            PostgresCursor cursor = impatient(proxy);
            take(cursor, "key");
            proxy.blackHole();
            long start = System.nanoTime();
            assertThatThrownBy(() -> take(cursor, "key")).isInstanceOf(CursorException.class);
            // the statement's limit of 500 ms, and 5 s for one connection in its place
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
            proxy.forward();
            assertThat(take(cursor, "key").permits()).isOne();
            Database.await("the dead ones are closed", PATIENCE, () -> proxy.openClients() == 1);
        }
    }

    @Test
    void aConnectionThatTurnsSilentWhileItIsSetUpIsClosed() {
        try (TestProxy proxy = new TestProxy(database)) {
            PostgresCursor cursor = impatient(proxy);
            proxy.blackHoleAt(message -> message.contains("set_config"));
            List<Throwable> dropped = new CopyOnWriteArrayList<>();
            Hooks.onErrorDropped(dropped::add); // it would be in the user's log, with a stack trace
            try {
                assertThatThrownBy(() -> take(cursor, "key")).isInstanceOf(CursorException.class);
                proxy.forward();
                Database.await("it is closed", PATIENCE, () -> proxy.openClients() == 0);
            } finally {
                Hooks.resetOnErrorDropped();
            }
            assertThat(take(cursor, "key").permits()).isOne();
            assertThat(dropped).isEmpty();
        }
    }

    @Test
    void aConnectionThatComesSlowlyIsUsedAndIsTheOnlyOne() {
        try (TestProxy proxy = new TestProxy(database)) {
            PostgresCursor cursor = impatient(proxy);
            take(cursor, "key");
            proxy.delayConnections(Duration.ofMillis(1_500));
            proxy.cut();
            take(cursor, "key"); // while the watch over the former statement is still running
            take(cursor, "key");
            assertThat(proxy.openClients()).isOne();
            assertThat(proxy.connections()).isEqualTo(2);
        }
    }

    @Test
    void aConnectionThatCameSlowlyIsWatchedOverLikeAnyOther() {
        try (TestProxy proxy = new TestProxy(database)) {
            PostgresCursor cursor = impatient(proxy);
            take(cursor, "key");
            proxy.delayConnections(Duration.ofMillis(1_000));
            proxy.cut();
            take(cursor, "key");
            proxy.delayConnections(Duration.ZERO);
            AtomicBoolean first = new AtomicBoolean(true);
            proxy.blackHoleAt(message -> message.contains("key") && first.getAndSet(false));
            long start = System.nanoTime();
            Disposable call = cursor.take(Claims.one("key")).subscribe(grant -> {}, late -> {});
            Database.await("given up: another connection is tried", PATIENCE, () -> proxy.connections() > 2);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
            call.dispose();
        }
    }

    @Test
    @DisplayName("P3, C011: the first call of a process is not made to wait because connecting took long")
    void aSlowConnectionCostsNoSlot() {
        try (TestProxy proxy = new TestProxy(database)) {
            proxy.delayConnections(Duration.ofMillis(700));
            Tally tally = new Tally();
            Pacer pacer = cursors.pacer(
                    database.through(proxy.port()), builder -> builder.defaultPace(Pace.perMinute(6)).listener(tally));
            assertThat(pacer.reserve("key").block(PATIENCE)).isLessThan(Duration.ofSeconds(8));
            assertThat(tally.lost.get()).isZero();
        }
    }

    @Test
    void aFactoryThatThrowsFailsTheCallAndNotTheCursor() {
        AtomicBoolean broken = new AtomicBoolean(true);
        ConnectionFactory real = database.factory();
        PostgresCursor cursor = cursors.with(builder -> builder.connectionFactory(new ConnectionFactory() {
            @Override
            public Publisher<? extends Connection> create() {
                if (broken.get()) {
                    throw new IllegalStateException("no route");
                }
                return real.create();
            }

            @Override
            public ConnectionFactoryMetadata getMetadata() {
                return real.getMetadata();
            }
        }));
        assertThatThrownBy(() -> take(cursor, "key")).hasStackTraceContaining("no route");
        broken.set(false);
        assertThat(take(cursor, "key").permits()).isOne();
    }

    @Test
    void tenThousandThatWaitWhenConnectingFailsAllFailAndTheNextIsServed() {
        Sinks.One<Connection> first = Sinks.one();
        AtomicInteger attempts = new AtomicInteger();
        AtomicBoolean broken = new AtomicBoolean(true);
        ConnectionFactory real = database.factory();
        PostgresCursor cursor = cursors.with(builder -> builder.connectionFactory(new ConnectionFactory() {
            @Override
            public Publisher<? extends Connection> create() {
                return !broken.get()
                        ? real.create()
                        : attempts.getAndIncrement() == 0
                                ? first.asMono()
                                : Mono.error(new java.io.IOException("no route"));
            }

            @Override
            public ConnectionFactoryMetadata getMetadata() {
                return real.getMetadata();
            }
        }));
        Mono<Long> failures = Flux.range(0, 10_000)
                .flatMap(i -> cursor.peek("key").map(Cursor.Standing::aheadNanos).onErrorReturn(-1L), 10_000)
                .filter(ahead -> ahead == -1)
                .count()
                .cache();
        failures.subscribe();
        first.tryEmitError(new java.io.IOException("no route"));
        assertThat(failures.block(PATIENCE)).isEqualTo(10_000);
        broken.set(false);
        assertThat(take(cursor, "key").permits()).isOne();
    }

    @Test
    @DisplayName("P11: a password that has changed is tried once for all who wait, not once for each")
    void aLoginThatIsRefusedIsNotTriedAgainForEachKey() {
        Sinks.One<Connection> first = Sinks.one();
        AtomicInteger attempts = new AtomicInteger();
        PostgresCursor cursor = cursors.with(builder -> builder.connectionFactory(new ConnectionFactory() {
            @Override
            public Publisher<? extends Connection> create() {
                R2dbcException refused = new R2dbcPermissionDeniedException("password authentication failed", "28P01");
                return attempts.getAndIncrement() == 0 ? first.asMono().then(Mono.error(refused)) : Mono.error(refused);
            }

            @Override
            public ConnectionFactoryMetadata getMetadata() {
                return database.factory().getMetadata();
            }
        }));
        Mono<Long> failures = Flux.range(0, 300)
                .flatMap(i -> cursor.take(Claims.one("key" + i)).map(Cursor.Grant::permits).onErrorReturn(-1L), 300)
                .filter(permits -> permits == -1)
                .count()
                .cache();
        failures.subscribe();
        first.tryEmitEmpty();
        assertThat(failures.block(PATIENCE)).isEqualTo(300);
        assertThat(attempts.get()).isLessThanOrEqualTo(2);
    }

    @Test
    void closeLeavesNoConnectionBehind() {
        PostgresCursor used = cursors.on(database);
        take(used, "key");
        assertThat(database.sessions("pacer")).isOne();
        used.close().block(PATIENCE);
        Database.await("no session", PATIENCE, () -> database.sessions("pacer") == 0);
        assertThatThrownBy(() -> take(used, "key")).isInstanceOf(CursorException.class).hasMessageContaining("closed");

        PostgresCursor connecting = cursors.on(database);
        AtomicReference<Throwable> end = new AtomicReference<>();
        connecting.take(Claims.one("key")).subscribe(grant -> end.set(new AssertionError()), end::set);
        connecting.close().block(PATIENCE);
        Database.await("the call has ended", PATIENCE, () -> end.get() != null);
        Database.await("no session", PATIENCE, () -> database.sessions("pacer") == 0);
    }

    @Test
    @DisplayName("C092: a closed pacer ends its calls, gives back its slots and its connection")
    void aClosedPacerLeavesNothingBehind() {
        Tally tally = new Tally();
        RecordingCursor places = new RecordingCursor(cursors.on(database));
        Pacer pacer = cursors.pacer(places, builder -> builder.defaultPace(Pace.perSecond(2)).listener(tally));
        pacer.reserve("key").block(PATIENCE);
        Mono<List<Throwable>> ends = Flux.range(0, 100)
                .flatMap(i -> pacer.reserve("key").ignoreElement().cast(Throwable.class).onErrorResume(Mono::just), 100)
                .collectList();
        Mono<List<Throwable>> started = ends.cache();
        Disposable calls = started.subscribe();
        Database.await("a slot is booked", PATIENCE, () -> database.row("key").seq() >= 2);
        pacer.close();
        pacer.close();
        assertThat(started.block(PATIENCE)).hasSize(100).allSatisfy(
                end -> assertThat(end).isInstanceOf(dev.pacer.PacerClosedException.class));
        pacer.whenClosed().block(PATIENCE);
        assertThat(tally.givenBack.get()).isOne();
        assertThat(database.row("key").cursor())
                .isEqualTo(places.places().stream().mapToLong(Long::longValue).max().orElseThrow() + 500_000_000);
        Database.await("no session", PATIENCE, () -> database.sessions("pacer") == 0);
        calls.dispose();
    }

    /** With the default time limits. */
    private PostgresCursor impatient(TestProxy proxy) {
        return cursors.with(builder -> builder.url(database.through(proxy.port()).url()));
    }

    private record Opened(PostgresCursor cursor, AtomicReference<Connection> connection) {}

    private Opened cursors(java.util.function.UnaryOperator<PostgresCursor.Builder> settings) {
        AtomicReference<Connection> opened = new AtomicReference<>();
        ConnectionFactory real = database.factory();
        ConnectionFactory seen = new ConnectionFactory() {
            @Override
            public Publisher<? extends Connection> create() {
                return Mono.from(real.create()).doOnNext(opened::set);
            }

            @Override
            public ConnectionFactoryMetadata getMetadata() {
                return real.getMetadata();
            }
        };
        return new Opened(cursors.with(builder -> settings.apply(builder.connectionFactory(seen))), opened);
    }

    private static List<Object> settings(Opened opened) {
        take(opened.cursor(), "key");
        Connection connection = opened.connection().get();
        assertThat(connection.isAutoCommit()).isTrue();
        return Flux.just("application_name", "synchronous_commit", "transaction_isolation", "statement_timeout",
                        "lock_timeout", "idle_session_timeout")
                .concatMap(name -> Database.rows(connection, "SHOW " + name))
                .map(row -> row.get(0))
                .collectList()
                .block(PATIENCE);
    }

    private void alter(String... defaults) {
        for (String setting : defaults) {
            database.run("ALTER DATABASE " + database.name() + " SET " + setting);
        }
    }

    private static Cursor.Grant take(Cursor cursor, String key) {
        return cursor.take(Claims.one(key)).block(PATIENCE);
    }
}
