package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Cursor;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import io.r2dbc.spi.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** P9: cancelling is free, whenever it comes, and harms no connection. */
class CancelIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Database database = Database.fresh();
    private final Tally tally = new Tally();

    @Test
    void aCallThatIsCancelledBeforeItAsksForAnythingCostsNothing() {
        database.createTable();
        Pacer pacer = pacer(1);
        pacer.reserve("key").subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                cancel();
            }
        });
        pacer.reserve("other").block(PATIENCE);
        assertThat(database.row("key")).isNull();
    }

    @Test
    void aCallThatIsCancelledWhileItsStatementIsInFlightGivesItsSlotBack() {
        Pacer pacer = pacer(1);
        pacer.reserve("other").block(PATIENCE);
        database.place("key", Duration.ofSeconds(30));
        long pid = pid();
        long before = database.row("key").cursor();
        Connection lock = database.open();
        Database.run(lock, "BEGIN");
        Database.run(lock, "SELECT key FROM pacer_cursor WHERE key = 'key' FOR UPDATE");
        Disposable call = pacer.reserve("key").subscribe();
        Database.await("it is in flight", PATIENCE, this::waitsForALock);
        call.dispose();
        Database.run(lock, "ROLLBACK");
        Mono.from(lock.close()).block();
        Database.await("given back", PATIENCE, () -> tally.givenBack.get() == 1);
        assertThat(database.row("key").cursor()).isEqualTo(before);
        assertThat(tally.cancelled.get()).isOne();
        assertThat(pid()).isEqualTo(pid);
    }

    @Test
    void aCallThatIsCancelledWhileItWaitsForItsSlotGivesItBack() {
        Pacer pacer = pacer(1);
        pacer.reserve("other").block(PATIENCE);
        database.place("key", Duration.ofSeconds(30));
        long before = database.row("key").cursor();
        Disposable call = pacer.reserve("key").subscribe();
        Database.await("it has a slot", PATIENCE, () -> tally.granted.get() == 2);
        call.dispose();
        Database.await("given back", PATIENCE, () -> tally.givenBack.get() == 1);
        assertThat(database.row("key").cursor()).isEqualTo(before);
    }

    @Test
    void aSlotThatCannotBeGivenBackGoesToTheNextCall() {
        RecordingCursor mine = new RecordingCursor(cursors.on(database));
        RecordingCursor theirs = new RecordingCursor(cursors.on(database));
        Pacer pacer = cursors.pacer(mine, builder -> builder.defaultPace(Pace.perSecond(2)).listener(tally));
        Pacer other = cursors.pacer(theirs, builder -> builder.defaultPace(Pace.perSecond(2)));
        other.reserve("key").block(PATIENCE);
        Disposable call = pacer.reserve("key").subscribe();
        Database.await("it has a slot", PATIENCE, () -> tally.granted.get() == 1);
        Mono<Duration> behind = other.reserve("key").cache();
        Disposable waiting = behind.subscribe();
        Database.await("somebody has booked behind", PATIENCE, () -> theirs.places().size() == 2);
        call.dispose();
        pacer.reserve("key").block(PATIENCE);
        behind.block(PATIENCE);
        waiting.dispose();
        assertThat(tally.givenBack.get()).isZero();
        List<Long> places = new java.util.ArrayList<>(mine.places());
        places.addAll(theirs.places());
        Slots.assertApart(places, Duration.ofMillis(500));
    }

    @Test
    @DisplayName("C027: 99 of 100 waiting calls are cancelled; a new one waits for nobody")
    void abandonedCallsKeepNoSlots() {
        Pacer pacer = pacer(1);
        List<Disposable> calls = IntStream.range(0, 100)
                .mapToObj(i -> pacer.reserve("key").subscribe())
                .toList();
        Database.await("the first has gone", PATIENCE, () -> tally.released.get() == 1);
        calls.forEach(Disposable::dispose);
        assertThat(pacer.reserve("key").block(PATIENCE)).isLessThan(Duration.ofSeconds(2));
        assertThat(tally.cancelled.get()).isEqualTo(99);
        assertThat(database.row("key").cursor() - database.now()).isLessThan(Duration.ofSeconds(2).toNanos());
    }

    @Test
    @DisplayName("C036: a caller's own time limit ends its wait; its slot is given back")
    void aTimeLimitThatIsShorterThanTheWaitEndsIt() {
        Pacer pacer = pacer(1);
        pacer.reserve("other").block(PATIENCE);
        database.place("key", Duration.ofSeconds(30));
        long before = database.row("key").cursor();
        assertThat(pacer.reserve("key").timeout(Duration.ofMillis(200)).materialize().block(PATIENCE).getThrowable())
                .isInstanceOf(TimeoutException.class);
        Database.await("given back", PATIENCE, () -> database.row("key").cursor() == before);
    }

    @Test
    void aStormOfTenThousandCancelsLeavesTheConnectionAndEveryKeyWell() {
        Pacer pacer = pacer(5);
        pacer.reserve("other").block(PATIENCE);
        long pid = pid();
        Flux.range(0, 10_000)
                .parallel(4)
                .runOn(Schedulers.boundedElastic())
                .doOnNext(i -> {
                    Disposable call = pacer.reserve("key" + i % 100).subscribe(waited -> {}, ended -> {});
                    long nanos = ThreadLocalRandom.current().nextLong(2_000_000);
                    if (i % 3 == 0) {
                        call.dispose();
                    } else {
                        Schedulers.parallel().schedule(call::dispose, nanos, TimeUnit.NANOSECONDS);
                    }
                })
                .sequential()
                .blockLast(PATIENCE);
        Flux.range(0, 100).flatMap(i -> pacer.reserve("key" + i), 100).blockLast(PATIENCE);
        assertThat(pid()).isEqualTo(pid);
        assertThat(database.sessions("pacer")).isOne();
        assertThat(tally.anomalies.get()).isZero();
        Database.await("all is accounted for", PATIENCE,
                () -> tally.granted.get() == tally.released.get() + tally.givenBack.get() + tally.lost.get());
        assertThat(database.one("SELECT max(cursor) FROM pacer_cursor", Long.class) - database.now())
                .isLessThan(Duration.ofSeconds(2).toNanos());
    }

    @Test
    void aCursorsMonoThatIsCancelledIsCarriedOutAllTheSame() {
        PostgresCursor cursor = cursors.on(database);
        database.createTable();
        database.place("key", Duration.ofSeconds(30));
        long before = database.row("key").cursor();
        cursor.peek("key").block(PATIENCE);
        long pid = pid();
        for (int i = 0; i < 1_000; i++) {
            cursor.take(Claims.one("key")).subscribe().dispose();
        }
        Cursor.Grant last = cursor.take(Claims.one("key")).block(PATIENCE);
        assertThat(last.start()).isEqualTo(before + Duration.ofSeconds(1).toNanos());
        assertThat(pid()).isEqualTo(pid);
    }

    private Pacer pacer(int perSecond) {
        return cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(perSecond)).listener(tally));
    }

    private boolean waitsForALock() {
        return database.one(
                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND application_name = 'pacer' AND wait_event_type = 'Lock'",
                        Long.class)
                == 1;
    }

    private long pid() {
        return database.one(
                "SELECT pid::bigint FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'pacer'",
                Long.class);
    }
}
