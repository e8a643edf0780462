package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Cursor;
import dev.pacer.Gcra;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** 32 connections at one row. The row starts a minute ahead, so that the cursor is exact: it never has to catch up. */
class NoSlotTwiceIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Gcra MILLISECOND = Claims.perSecond(1_000);

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Database database = Database.fresh();
    private long start;

    @BeforeEach
    void placeTheCursorAMinuteAhead() {
        database.createTable();
        database.place("key", Duration.ofMinutes(1));
        start = database.row("key").cursor();
    }

    @Test
    @DisplayName("C004: 32 connections, 3 200 reservations, 3 200 slots, the exact cursor")
    void noSlotIsHandedOutTwice() {
        List<RecordingCursor> all = connections(32);
        Flux.fromIterable(all)
                .flatMap(cursor -> Flux.range(0, 100).concatMap(i -> cursor.take(Claims.of("key", MILLISECOND, 1, 1))), 32)
                .blockLast(PATIENCE);
        List<Long> places = places(all);
        assertThat(places).hasSize(3_200);
        Slots.assertApart(places, Duration.ofMillis(1));
        assertThat(database.row("key").cursor()).isEqualTo(start + Duration.ofMillis(3_200).toNanos());
        assertThat(Collections.max(places)).isEqualTo(start + Duration.ofMillis(3_199).toNanos());
    }

    @Test
    void noSlotIsHandedOutTwiceWhenStatementsTakeManyOfManyKeys() {
        List<String> keys = IntStream.range(0, 6).mapToObj(i -> "k" + i).toList();
        keys.forEach(key -> database.place(key, Duration.ofMinutes(1)));
        List<Long> starts = keys.stream().map(key -> database.row(key).cursor()).toList();
        List<List<RecordingCursor>> byKey = new ArrayList<>();
        List<PostgresCursor> all = IntStream.range(0, 8).mapToObj(i -> cursors.on(database)).toList();
        for (int k = 0; k < keys.size(); k++) {
            byKey.add(all.stream().map(RecordingCursor::new).toList());
        }
        AtomicLong[] taken = IntStream.range(0, 6).mapToObj(i -> new AtomicLong()).toArray(AtomicLong[]::new);
        Flux.range(0, 8)
                .flatMap(
                        c -> Flux.range(0, 6).flatMap(k -> Flux.range(0, 25).concatMap(i -> {
                            long permits = ThreadLocalRandom.current().nextLong(1, 50);
                            taken[k].addAndGet(permits);
                            return byKey.get(k).get(c).take(Claims.of(keys.get(k), MILLISECOND, permits, i % 2));
                        })),
                        8)
                .blockLast(PATIENCE);
        for (int k = 0; k < keys.size(); k++) {
            List<Long> places = places(byKey.get(k));
            assertThat(places).hasSize((int) taken[k].get());
            Slots.assertApart(places, Duration.ofMillis(1));
            assertThat(database.row(keys.get(k)).cursor())
                    .isEqualTo(starts.get(k) + MILLISECOND.advance(taken[k].get()));
        }
    }

    @Test
    void noSlotIsHandedOutTwiceWhenSomeAreGivenBackInBetween() {
        List<RecordingCursor> all = connections(16);
        AtomicLong givenBack = new AtomicLong();
        AtomicLong taken = new AtomicLong();
        Flux.fromIterable(all)
                .flatMap(cursor -> Flux.range(0, 60).concatMap(i -> takeAndReturn(cursor, taken, givenBack, cursor::giveBack)), 16)
                .blockLast(PATIENCE);
        assertThat(givenBack.get()).as("some were given back").isPositive();
        List<Long> places = places(all);
        assertThat(places).hasSize((int) (taken.get() - givenBack.get()));
        Slots.assertApart(places, Duration.ofMillis(1));
        assertThat(database.row("key").cursor()).isEqualTo(start + MILLISECOND.advance(taken.get() - givenBack.get()));
    }

    @Test
    void aRefundThatSubtractsBlindlyIsCaughtByTheSameCheck() {
        List<RecordingCursor> all = connections(8);
        AtomicLong givenBack = new AtomicLong();
        Flux.fromIterable(all)
                .flatMap(
                        cursor -> Flux.range(0, 40).concatMap(i -> takeAndReturn(
                                cursor, new AtomicLong(), givenBack, refund -> blindly(cursor, refund))),
                        8)
                .blockLast(PATIENCE);
        assertThat(Slots.leastGap(places(all))).as("least gap").isLessThan(Duration.ofMillis(1).toNanos());
    }

    @Test
    @DisplayName("P9: a refund that comes twice does not take the same slot from whoever got it next (ABA)")
    void aRefundThatComesTwiceTakesNothingFromTheNext() {
        List<RecordingCursor> all = connections(3);
        Cursor.Claim claim = Claims.of("key", MILLISECOND, 1);
        Cursor.Grant mine = all.get(0).take(claim).block(PATIENCE);
        Cursor.Refund refund = Claims.tail(claim, mine, 1);
        assertThat(all.get(0).giveBack(refund).block(PATIENCE)).isTrue();
        Cursor.Grant next = all.get(1).take(claim).block(PATIENCE);
        assertThat(next.start()).isEqualTo(mine.start());
        assertThat(database.row("key").cursor()).as("by the cursor alone it would match").isEqualTo(refund.cursor());

        all.get(0).giveBack(refund).block(PATIENCE);

        assertThat(all.get(2).take(claim).block(PATIENCE).start()).isEqualTo(next.start() + 1_000_000);
        Slots.assertApart(places(all.subList(1, 3)), Duration.ofMillis(1));
    }

    @Test
    void aRefundIsRefusedOnceSomebodyHasBookedBehind() {
        PostgresCursor cursor = cursors.on(database);
        Cursor.Claim claim = Claims.of("key", MILLISECOND, 5);
        Cursor.Grant mine = cursor.take(claim).block(PATIENCE);
        cursor.take(claim).block(PATIENCE);
        assertThat(cursor.giveBack(Claims.tail(claim, mine, 2)).block(PATIENCE)).isFalse();
        assertThat(database.row("key").cursor()).isEqualTo(start + MILLISECOND.advance(10));
    }

    @Test
    @DisplayName("P1, P9: a refund whose answer was lost is not called refused, or its slots would be used twice")
    void aRefundWhoseAnswerWasLostIsNotCalledRefused() {
        try (TestProxy proxy = new TestProxy(database)) {
            PostgresCursor cursor = cursors.on(database.through(proxy.port()));
            Cursor.Claim claim = Claims.of("key", MILLISECOND, 5);
            Cursor.Grant mine = cursor.take(claim).block(PATIENCE);
            cursor.peek("key").block(PATIENCE);
            cursor.giveBack(new Cursor.Refund("other", 1, 1, 1)).block(PATIENCE); // so that it is prepared
            proxy.swallowAnswerTo(message -> message.startsWith("B") && message.contains("key"));
            Boolean answer = cursor.giveBack(Claims.tail(claim, mine, 5))
                    .onErrorResume(unknown -> Mono.empty())
                    .block(PATIENCE);
            assertThat(database.row("key").cursor()).as("it was carried out").isEqualTo(start);
            assertThat(answer).as("given back; null stands for an error").isNotEqualTo(false);
        }
    }

    private static Mono<Boolean> takeAndReturn(
            RecordingCursor cursor, AtomicLong taken, AtomicLong givenBack,
            java.util.function.Function<Cursor.Refund, Mono<Boolean>> giveBack) {
        long permits = ThreadLocalRandom.current().nextLong(1, 20);
        long back = ThreadLocalRandom.current().nextLong(0, permits + 1);
        Cursor.Claim claim = Claims.of("key", MILLISECOND, permits, 1);
        return cursor.take(claim).flatMap(grant -> {
            taken.addAndGet(permits);
            return back == 0
                    ? Mono.just(false)
                    : giveBack.apply(Claims.tail(claim, grant, back)).doOnNext(done -> givenBack.addAndGet(done ? back : 0));
        });
    }

    /** What a refund must not be, and what the check must catch. */
    private Mono<Boolean> blindly(RecordingCursor cursor, Cursor.Refund refund) {
        return Mono.fromCallable(() -> {
                    database.run("UPDATE pacer_cursor SET cursor = cursor - " + (refund.cursor() - refund.to())
                            + " WHERE key = 'key'");
                    cursor.forgetPlaces(refund);
                    return true;
                })
                .subscribeOn(Schedulers.boundedElastic());
    }

    private List<RecordingCursor> connections(int count) {
        return IntStream.range(0, count).mapToObj(i -> new RecordingCursor(cursors.on(database))).toList();
    }

    private static List<Long> places(List<RecordingCursor> all) {
        return all.stream().flatMap(cursor -> cursor.places().stream()).toList();
    }
}
