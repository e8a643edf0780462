package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Cursor;
import dev.pacer.Gcra;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.pool.ConnectionPoolConfiguration;
import io.r2dbc.spi.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** P13: not in the caller's transaction, and not under the database's defaults. */
class CallersTransactionIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Database database = Database.fresh();

    @Test
    @DisplayName("C080: a reservation inside an open transaction holds up nobody, and outlives its rollback")
    void aReservationInsideATransactionHoldsUpNobody() {
        RecordingCursor one = new RecordingCursor(cursors.on(database));
        RecordingCursor other = new RecordingCursor(cursors.on(database));
        Pacer mine = cursors.pacer(one, builder -> builder.defaultPace(Pace.perSecond(100)));
        Pacer theirs = cursors.pacer(other, builder -> builder.defaultPace(Pace.perSecond(100)));
        theirs.reserve("key").block(PATIENCE);
        Connection caller = database.open();
        Mono.from(caller.beginTransaction())
                .then(mine.reserve("key"))
                .thenMany(Database.rows(caller, "SELECT 1"))
                .blockLast(PATIENCE);
        for (int i = 0; i < 20; i++) {
            theirs.reserve("key").block(Duration.ofSeconds(2));
        }
        Mono.from(caller.rollbackTransaction()).then(Mono.from(caller.close())).block();
        mine.reserve("key").block(PATIENCE);
        List<Long> places = new ArrayList<>(one.places());
        places.addAll(other.places());
        assertThat(places).hasSizeGreaterThanOrEqualTo(23);
        Slots.assertApart(places, Duration.ofMillis(10));
    }

    @Test
    @DisplayName("C031, C082: a pool that is given, and exhausted, is neither waited for nor drained")
    void anExhaustedPoolIsNotWaitedFor() {
        ConnectionPool pool = new ConnectionPool(
                ConnectionPoolConfiguration.builder(database.factory()).initialSize(0).maxSize(2).build());
        Connection first = pool.create().block(PATIENCE);
        Connection second = pool.create().block(PATIENCE);
        PostgresCursor cursor = cursors.with(builder -> builder.connectionFactory(pool).timeLimit(Duration.ofSeconds(10)));
        Pacer pacer = cursors.pacer(cursor, builder -> builder.defaultPace(Pace.perSecond(50)));
        Mono.from(first.beginTransaction()).then(pacer.reserve("key")).block(PATIENCE);
        List<Disposable> cancelled = IntStream.range(0, 90).mapToObj(i -> pacer.reserve("key").subscribe()).toList();
        Mono<Long> rest = Flux.range(0, 10).flatMap(i -> pacer.reserve("key"), 10).count().cache();
        rest.subscribe();
        cancelled.forEach(Disposable::dispose);
        assertThat(rest.block(PATIENCE)).isEqualTo(10);
        Mono.from(first.rollbackTransaction()).then(Mono.from(first.close())).then(Mono.from(second.close())).block();
        assertThat(pool.getMetrics().orElseThrow().acquiredSize()).isZero();
        assertThat(pool.getMetrics().orElseThrow().allocatedSize()).isEqualTo(2);
        pacer.close();
        pacer.whenClosed().block(PATIENCE);
        pool.create().flatMap(connection -> Mono.from(connection.close())).block(PATIENCE); // still the caller's
        pool.disposeLater().block(PATIENCE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void theDefaultIsolationChangesNothing(String isolation) {
        database.createTable();
        database.run("ALTER DATABASE " + database.name() + " SET default_transaction_isolation = '" + isolation + "'");
        long before = rollbacks();
        List<RecordingCursor> all = IntStream.range(0, 4).mapToObj(i -> new RecordingCursor(cursors.on(database))).toList();
        Flux.fromIterable(all)
                .flatMap(cursor -> Flux.range(0, 150)
                        .flatMap(i -> cursor.take(Claims.of("key" + i % 3, Claims.perSecond(1_000), 1, i % 2)), 3), 4)
                .blockLast(PATIENCE);
        all.forEach(cursor -> cursor.close().block(PATIENCE));
        Database.await("sessions have told their counts", PATIENCE, () -> database.sessions("pacer") == 0);
        assertThat(rollbacks()).as("statements that ended in 40001 or the like").isEqualTo(before);
        assertThat(all.stream().mapToInt(cursor -> cursor.places().size()).sum()).isEqualTo(600);
    }

    @ParameterizedTest
    @ValueSource(strings = {"default_transaction_isolation = 'serializable'", "TimeZone = 'America/New_York'",
        "DateStyle = 'German, DMY'", "IntervalStyle = 'iso_8601'", "extra_float_digits = -15", "lc_numeric = 'C'",
        "standard_conforming_strings = off", "search_path = public, pg_catalog", "bytea_output = 'escape'",
        "plan_cache_mode = force_generic_plan", "plan_cache_mode = force_custom_plan", "enable_seqscan = off",
        "jit_above_cost = 0", "synchronous_commit = remote_apply", "array_nulls = off",
        "default_transaction_deferrable = on", "client_min_messages = debug5", "row_security = off"})
    @DisplayName("C021: no default of the database changes a slot")
    void noDefaultOfTheDatabaseChangesASlot(String setting) {
        database.run("ALTER DATABASE " + database.name() + " SET " + setting);
        PostgresCursor cursor = cursors.on(database);
        Gcra daily = new Gcra(Duration.ofDays(1).toNanos() * 256, 1);
        Cursor.Claim claim = new Cursor.Claim("it's", daily, 1, 1, 1, Duration.ofDays(20).toNanos(), 0,
                Duration.ofDays(30).toNanos());
        Cursor.Grant first = cursor.take(claim).block(PATIENCE);
        Cursor.Grant second = cursor.take(claim).block(PATIENCE);
        assertThat(first.waitNanos()).isZero();
        assertThat(second.start() - first.start()).isEqualTo(Duration.ofDays(1).toNanos());
        assertThat(Math.abs(first.start() - System.currentTimeMillis() * 1_000_000)).as("a clock of now, to the hour")
                .isLessThan(Duration.ofHours(1).toNanos() / 2);
        assertThat(cursor.giveBack(Claims.tail(claim, second, 1)).block(PATIENCE)).isTrue();
        Flux.just("a", "b", "c").flatMap(key -> cursor.take(Claims.one(key))).blockLast(PATIENCE);
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 10_000})
    @DisplayName("C020, P3: a row locked for two seconds gives no slot in the past, and no burst afterwards")
    void aRowThatIsLockedForTwoSecondsGivesNoSlotInThePast(int timeLimitMillis) throws InterruptedException {
        RecordingCursor cursor = new RecordingCursor(cursors.with(builder ->
                builder.url(database.url()).timeLimit(Duration.ofMillis(timeLimitMillis))));
        Pacer pacer = cursors.pacer(cursor, builder -> builder.defaultPace(Pace.perSecond(10)));
        pacer.reserve("key").block(PATIENCE);
        int before = cursor.places().size();
        Connection other = database.open();
        Mono.from(other.beginTransaction()).block();
        Database.rows(other, "SELECT key FROM pacer_cursor WHERE key = 'key' FOR UPDATE").blockLast();
        List<Long> released = Collections.synchronizedList(new ArrayList<>());
        Mono<Void> calls = Flux.range(0, 8)
                .flatMap(i -> pacer.reserve("key").doOnNext(waited -> released.add(System.nanoTime())), 8)
                .then()
                .cache();
        Disposable waiting = calls.subscribe();
        Thread.sleep(2_000); // the claim is about a lock that is held so long
        long unlocked = database.now();
        Mono.from(other.rollbackTransaction()).then(Mono.from(other.close())).block();
        calls.block(PATIENCE);
        waiting.dispose();
        List<Long> after = cursor.places().subList(before, cursor.places().size());
        assertThat(after).allMatch(place -> place >= unlocked);
        if (timeLimitMillis > 2_000) { // else it has given up before, and paced itself meanwhile
            assertThat(after).hasSizeGreaterThanOrEqualTo(8);
            Slots.assertApart(cursor.places(), Duration.ofMillis(100));
        }
        assertThat(Slots.most(released, Duration.ofMillis(200))).isLessThanOrEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({
        "SELECT key FROM pacer_cursor FOR UPDATE, ROLLBACK",
        "SELECT key FROM pacer_cursor FOR UPDATE, COMMIT",
        "UPDATE pacer_cursor SET seq = seq + 1, ROLLBACK",
        "UPDATE pacer_cursor SET seq = seq + 1, COMMIT",
        "DELETE FROM pacer_cursor, ROLLBACK",
        "DELETE FROM pacer_cursor, COMMIT",
        "LOCK TABLE pacer_cursor, ROLLBACK",
    })
    @DisplayName("P3, C020: the clock is read after the lock was waited for, whatever held it and however it let go")
    void theClockIsReadAfterTheWaitForTheLock(String holds, String letsGo) throws InterruptedException {
        for (long floor : new long[] {0, 1}) { // a claim for a new key, and for a known one, are different statements
            PostgresCursor cursor = cursors.on(database);
            cursor.take(Claims.of("key", Claims.perSecond(10), 1, floor)).block(PATIENCE);
            Connection other = database.open();
            Database.run(other, "BEGIN");
            Database.run(other, holds);
            Mono<Cursor.Grant> answer = cursor.take(Claims.of("key", Claims.perSecond(10), 1, floor)).cache();
            Disposable waiting = answer.subscribe();
            Database.await("it waits for the lock", PATIENCE, () -> database.one(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name"
                            + " = 'pacer' AND wait_event_type = 'Lock'", Long.class) == 1);
            Thread.sleep(300); // so that its slot would be in the past by now
            long unlocked = database.now();
            Database.run(other, letsGo);
            Mono.from(other.close()).block();
            assertThat(answer.block(PATIENCE).start()).as("floor %d", floor).isGreaterThanOrEqualTo(unlocked);
            waiting.dispose();
            cursor.close().block(PATIENCE);
        }
    }

    private long rollbacks() {
        return database.one("SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()", Long.class);
    }
}
