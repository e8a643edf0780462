package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pacer.Call;
import dev.pacer.Cursor;
import dev.pacer.Gcra;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.RateLimitedException;
import java.time.Duration;
import java.util.ArrayList;
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

/** The public cases of rates, overflow and wait budgets, on a real row. */
class RatesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Database database = Database.fresh();

    @Test
    @DisplayName("C001: an idle key has earned no burst")
    void anIdleKeyEarnsNothing() {
        database.createTable();
        database.place("key", Duration.ofDays(-1));
        PostgresCursor cursor = cursors.on(database);
        List<Long> starts = IntStream.range(0, 3)
                .mapToObj(i -> cursor.take(Claims.of("key", Claims.perSecond(1), 1, i)).block(PATIENCE).start())
                .toList();
        assertThat(starts.get(0)).isGreaterThan(database.now() - PATIENCE.toNanos());
        assertThat(starts.get(1) - starts.get(0)).isEqualTo(Duration.ofSeconds(1).toNanos());
        assertThat(starts.get(2) - starts.get(0)).isEqualTo(Duration.ofSeconds(2).toNanos());
    }

    @ParameterizedTest
    @ValueSource(ints = {2_000, 5_000, 900_000, 1_000_000})
    @DisplayName("C010: above a thousand a second, exact and never too fast")
    void ratesAboveAThousandASecondAreExact(int rate) {
        PostgresCursor cursor = cursors.on(database);
        Gcra gcra = new Gcra((256_000_000_000L + rate - 1) / rate, 1);
        long first = cursor.take(Claims.of("key", gcra, 5_000, 1)).block(PATIENCE).start();
        database.run("UPDATE pacer_cursor SET cursor = cursor + 60000000000");
        long from = database.row("key").cursor();
        for (int i = 0; i < 10; i++) {
            cursor.take(Claims.of("key", gcra, 1_000, 1)).block(PATIENCE);
        }
        double span = database.row("key").cursor() - from;
        assertThat(first).isPositive();
        assertThat(span).isBetween(10_000 * 1e9 / rate, 10_000 * 1e9 / rate * 1.00001 + 10);
    }

    @Test
    @DisplayName("C011: one a day; the second is refused with the day in the error, and moves nothing")
    void oneADay() {
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perDay(1)));
        pacer.reserve("key").block(PATIENCE);
        long cursor = database.row("key").cursor();
        assertThatThrownBy(() -> pacer.reserve("key").block(PATIENCE))
                .isInstanceOfSatisfying(RateLimitedException.class, refused -> assertThat(refused.waitNeeded())
                        .isBetween(Duration.ofHours(24).minus(PATIENCE), Duration.ofHours(24)));
        assertThat(database.row("key").cursor()).isEqualTo(cursor);
    }

    @ParameterizedTest
    @CsvSource({"366, 1, 1", "200, 1, 1", "209, 1, 1", "366, 20, 20", "366, 10, 10"})
    @DisplayName("C011, P1: the slowest paces hold, bursts included")
    void theSlowestPacesHold(int days, int permits, int burst) {
        Pace pace = Pace.of(permits * 2.0, Duration.ofDays(days)).burst(burst);
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(burst == 1 ? Pace.of(1, Duration.ofDays(days)) : pace));
        for (int i = 0; i < burst; i++) {
            pacer.reserve("key").block(PATIENCE);
        }
        assertThatThrownBy(() -> pacer.reserve("key").block(PATIENCE)).isInstanceOf(RateLimitedException.class);
        Pacer other = cursors.pacer(database, builder -> builder.defaultPace(burst == 1 ? Pace.of(1, Duration.ofDays(days)) : pace));
        assertThatThrownBy(() -> other.reserve("key").block(PATIENCE)).isInstanceOf(RateLimitedException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {12, 87_600, 292 * 8_766L})
    @DisplayName("C013: a cursor hours, years and centuries in the past is an idle one")
    void aCursorLongPastIsIdle(long hours) {
        database.createTable();
        database.run("INSERT INTO pacer_cursor VALUES ('key', " + (database.now() / 2 - Duration.ofHours(hours).toNanos() + database.now() / 2)
                + ", 0, 0, 1, false, 0, 0, 0, 0)");
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(1_000_000)));
        pacer.reserve("key").then(pacer.reserve("key")).block(Duration.ofSeconds(5));
        assertThat(database.row("key").cursor()).isBetween(database.now() - PATIENCE.toNanos(), database.now() + PATIENCE.toNanos());
    }

    @Test
    @DisplayName("C014: a budget of for ever is cut, not overflowed; zero means now or not at all")
    void budgetsOfForEverAndOfNothing() {
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(2)));
        pacer.reserve("key", Call.ONE.maxWait(java.time.temporal.ChronoUnit.FOREVER.getDuration())).block(PATIENCE);
        assertThatThrownBy(() -> pacer.reserve("key", Call.ONE.maxWait(Duration.ZERO)).block(PATIENCE))
                .isInstanceOf(RateLimitedException.class);
        pacer.reserve("key", Call.ONE.maxWait(Duration.ofDays(365 * 300))).block(PATIENCE);
    }

    @Test
    void aBudgetOfNothingIsEnoughForAnIdleKeyHoweverSlowTheAnswer() {
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(100)));
        for (int i = 0; i < 20; i++) {
            pacer.reserve("key" + i, Call.ONE.maxWait(Duration.ZERO)).block(PATIENCE);
        }
    }

    @Test
    @DisplayName("C032: calls that are refused move nothing")
    void refusedCallsAreFree() {
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(1)));
        pacer.reserve("other").block(PATIENCE);
        database.place("key", Duration.ofSeconds(299));
        long before = database.row("key").cursor();
        Disposable accepted = pacer.reserve("key").subscribe();
        Database.await("accepted", PATIENCE, () -> database.row("key").cursor() > before);
        List<Throwable> refused = Flux.range(0, 1_000)
                .flatMap(i -> pacer.reserve("key").ignoreElement().cast(Throwable.class).onErrorResume(Mono::just), 1_000)
                .take(990)
                .collectList()
                .block(PATIENCE);
        assertThat(refused).allSatisfy(end -> assertThat(end).isInstanceOf(RateLimitedException.class));
        assertThat(database.row("key").cursor()).isLessThanOrEqualTo(before + Duration.ofSeconds(11).toNanos());
        accepted.dispose();
    }

    @Test
    @DisplayName("C033: who would have to wait too long is told at once, and how long")
    void whoWouldWaitTooLongIsToldAtOnce() {
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(1)));
        pacer.reserve("other").block(PATIENCE);
        database.place("key", Duration.ofSeconds(400));
        long cursor = database.row("key").cursor();
        assertThatThrownBy(() -> pacer.reserve("key").block(Duration.ofSeconds(2)))
                .isInstanceOfSatisfying(RateLimitedException.class, refused -> assertThat(refused.waitNeeded())
                        .isBetween(Duration.ofSeconds(380), Duration.ofSeconds(401)));
        assertThat(database.row("key").cursor()).isEqualTo(cursor);
    }

    @Test
    @DisplayName("C088: a raised rate takes hold; nobody waits longer than under the old one")
    void aRaisedRateTakesHold() {
        Pacer pacer = cursors.pacer(database, builder -> builder.pace("key", Pace.perMinute(30)));
        pacer.reserve("key").block(PATIENCE);
        Mono<Duration> second = pacer.reserve("key").cache();
        Disposable waiting = second.subscribe();
        Database.await("it has a slot", PATIENCE, () -> database.row("key").seq() > 1);
        pacer.pace("key", Pace.perSecond(50));
        Flux.range(0, 20).flatMap(i -> pacer.reserve("key"), 20).blockLast(PATIENCE);
        second.block(PATIENCE);
        waiting.dispose();
    }

    @Test
    @DisplayName("C090: two paces for one key during a rollout never exceed the faster one")
    void twoPacesForOneKey() {
        List<RecordingCursor> all = IntStream.range(0, 4).mapToObj(i -> new RecordingCursor(cursors.on(database))).toList();
        Flux.range(0, 4)
                .flatMap(i -> Flux.range(0, 30).concatMap(j ->
                        all.get(i).take(Claims.of("key", Claims.perSecond(i % 2 == 0 ? 10 : 1), 1, j % 2))), 4)
                .blockLast(PATIENCE);
        List<Long> places = all.stream().flatMap(cursor -> cursor.places().stream()).toList();
        assertThat(places).hasSize(120);
        Slots.assertApart(places, Duration.ofMillis(100));
    }

    @Test
    @DisplayName("C107: each subscription is one reservation")
    void eachSubscriptionIsOneReservation() {
        Tally tally = new Tally();
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(100)).listener(tally));
        Mono<Duration> reserve = pacer.reserve("key");
        reserve.repeat(4).blockLast(PATIENCE);
        assertThat(tally.released.get()).isEqualTo(5);
        assertThat(tally.granted.get()).isEqualTo(5 + tally.lost.get() + tally.givenBack.get());
    }

    @Test
    @DisplayName("P1: a burst, shared by three, stays inside its window")
    void aSharedBurstStaysInsideItsWindow() {
        Pace pace = Pace.of(20, Duration.ofSeconds(1)).burst(5);
        List<RecordingCursor> all = IntStream.range(0, 3).mapToObj(i -> new RecordingCursor(cursors.on(database))).toList();
        List<Pacer> pacers = all.stream().map(cursor -> cursors.pacer(cursor, builder -> builder.defaultPace(pace))).toList();
        Flux.fromIterable(pacers)
                .flatMap(pacer -> Flux.range(0, 15).flatMap(i -> pacer.reserve("key"), 15), 3)
                .blockLast(PATIENCE);
        List<Long> places = all.stream().flatMap(cursor -> cursor.places().stream()).toList();
        Slots.assertApart(places, pace.interval());
    }

    @Test
    @DisplayName("P2, C008: no call of many is let through before its slot")
    void noCallIsEarly() {
        RecordingCursor cursor = new RecordingCursor(cursors.on(database));
        Pacer pacer = cursors.pacer(cursor, builder -> builder.defaultPace(Pace.perSecond(500)));
        long nanoAhead = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) { // the smallest distance between the server's clock and ours
            long before = System.nanoTime();
            nanoAhead = Math.min(nanoAhead, database.now() - before);
        }
        List<Long> released = Flux.range(0, 500)
                .flatMap(i -> pacer.reserve("key").map(waited -> System.nanoTime()), 500)
                .collectList()
                .block(PATIENCE);
        List<Long> places = new ArrayList<>(cursor.places());
        List<Long> sorted = new ArrayList<>(released);
        places.sort(null);
        sorted.sort(null);
        for (int i = 0; i < sorted.size(); i++) {
            assertThat(sorted.get(i) + nanoAhead).isGreaterThanOrEqualTo(places.get(i));
        }
    }
}
