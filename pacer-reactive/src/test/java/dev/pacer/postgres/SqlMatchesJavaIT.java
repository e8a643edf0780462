package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Cursor;
import dev.pacer.Gcra;
import dev.pacer.GcraBridge;
import io.r2dbc.spi.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * {@code Sql.ARITHMETIC} against {@code Gcra.take}. A row holds the clock as its statement read it, so the step that
 * made it can be done again in Java, to the nanosecond.
 */
class SqlMatchesJavaIT {
    private static final long DAY = Duration.ofDays(1).toNanos();
    private static final long LONGEST = 366 * DAY;

    private static Database database;
    private static PostgresCursor cursor;
    private static Connection eyes;

    @BeforeContainer
    static void open() {
        database = Database.fresh();
        database.createTable();
        cursor = PostgresCursor.of(database.url());
        eyes = database.open();
    }

    @AfterContainer
    static void close() {
        cursor.close().block(Duration.ofSeconds(20));
        Mono.from(eyes.close()).block(Duration.ofSeconds(20));
    }

    /** What one key does in a step: its row may first be put elsewhere, as another process or a fault would. */
    record Move(int key, Long placed, Gcra gcra, long permits, long least, long ahead, long within, Long floor,
            long horizon) {
        Cursor.Claim claim(long now) {
            return new Cursor.Claim(
                    "key" + key, gcra, permits, least, ahead, within, floor == null ? 0 : Math.max(0, now + floor), horizon);
        }
    }

    @Property(tries = 120)
    void everyStepOfAHistoryOfOneKeyIsTheStepThatJavaMakes(@ForAll("histories") List<Move> history) {
        Database.run(eyes, "TRUNCATE pacer_cursor");
        for (Move move : history) {
            check(List.of(move));
        }
    }

    @Property(tries = 80)
    void everyStepOfManyKeysAtOnceIsTheStepThatJavaMakes(@ForAll("crowds") List<List<Move>> crowds) {
        Database.run(eyes, "TRUNCATE pacer_cursor");
        crowds.forEach(SqlMatchesJavaIT::check);
    }

    @Example
    void aCursorAtEitherEndOfTheNumbersIsReadAsIdle() {
        for (long placed : new long[] {Long.MIN_VALUE, Long.MIN_VALUE + 1, 0, Long.MAX_VALUE}) {
            for (long floor : new long[] {0, 1, Long.MAX_VALUE}) {
                Database.run(eyes, "TRUNCATE pacer_cursor");
                Database.run(eyes, "INSERT INTO pacer_cursor VALUES ('key1', " + placed + ", 0, 0, 7, false, 0, 0, 0, 0)");
                Cursor.Claim claim = Claims.of("key1", Claims.perSecond(10), 1, floor);
                Cursor.Grant grant = cursor.take(claim).block(Duration.ofSeconds(20));
                Cursor.Row row = Database.row(eyes, "key1").block(Duration.ofSeconds(20));
                assertThat(row).as("cursor %d, floor %d", placed, floor)
                        .isEqualTo(GcraBridge.take(placed, 7, row.readAt(), claim));
                assertThat(grant.waitNanos()).isZero();
                assertThat(row.cursor()).isEqualTo(row.readAt() + 100_000_000);
            }
        }
    }

    private static void check(List<Move> moves) {
        Map<String, Move> byKey = new LinkedHashMap<>();
        moves.forEach(move -> byKey.putIfAbsent("key" + move.key(), move));
        long now = Database.rows(eyes, "SELECT (date_part('epoch', clock_timestamp()) * 1000000)::bigint * 1000")
                .map(row -> (Long) row.get(0))
                .blockFirst();
        Map<String, Cursor.Row> before = new HashMap<>();
        Map<String, Cursor.Claim> claims = new LinkedHashMap<>();
        byKey.forEach((key, move) -> {
            if (move.placed() != null) {
                Database.run(eyes, "INSERT INTO pacer_cursor VALUES ('" + key + "', " + (now + move.placed())
                        + ", 0, 0, 5, false, 0, 0, 0, 0) ON CONFLICT (key) DO UPDATE SET cursor = EXCLUDED.cursor");
            }
            Cursor.Row row = Database.row(eyes, key).block(Duration.ofSeconds(20));
            if (row != null) {
                before.put(key, row);
            }
            claims.put(key, move.claim(now));
        });
        Map<String, Cursor.Grant> grants = Flux.fromIterable(claims.values())
                .flatMap(claim -> cursor.take(claim).map(grant -> Map.entry(claim.key(), grant)), 64)
                .collectMap(Map.Entry::getKey, Map.Entry::getValue)
                .block(Duration.ofSeconds(20));
        claims.forEach((key, claim) -> {
            Cursor.Row was = before.getOrDefault(key, Cursor.Row.NONE);
            Cursor.Row is = Database.row(eyes, key).block(Duration.ofSeconds(20));
            Cursor.Row expected = GcraBridge.take(was.cursor(), was.seq(), is.readAt(), claim);
            if (!before.containsKey(key)) { // its first sequence number may be any
                expected = new Cursor.Row(
                        expected.cursor(), expected.granted(), expected.readAt(), is.seq(), expected.clamped(), expected.gate());
            }
            assertThat(is).as("%s after %s", claim, was).isEqualTo(expected);
            assertThat(is.readAt()).isGreaterThanOrEqualTo(now);
            Cursor.Grant grant = grants.get(key);
            assertThat(grant).isEqualTo(claim.grant(is, grant.roundTripNanos()));
        });
    }

    @Provide
    Arbitrary<List<Move>> histories() {
        return moves(1).list().ofMinSize(1).ofMaxSize(8);
    }

    @Provide
    Arbitrary<List<List<Move>>> crowds() {
        return moves(12).list().ofMinSize(2).ofMaxSize(12).list().ofMinSize(1).ofMaxSize(3);
    }

    private static Arbitrary<Move> moves(int keys) {
        return Combinators.combine(
                        Arbitraries.integers().between(1, keys),
                        spread(-290 * 365 * DAY, 230 * 365 * DAY).injectNull(0.6),
                        gcras(),
                        Combinators.combine(spread(1, 100_000_000), spread(1, 100_000_000)).as((a, b) -> new long[] {a, b}),
                        Arbitraries.integers().between(0, 20),
                        spread(0, 30 * DAY),
                        spread(-DAY, 20 * DAY).injectNull(0.3),
                        spread(0, 400 * DAY))
                .as((key, placed, gcra, counts, least, within, floor, horizon) -> {
                    long fewest = Math.max(1, Math.min(least, gcra.burst()));
                    return new Move(key, placed, gcra, Math.max(counts[0], fewest), fewest, Math.max(counts[1], fewest),
                            within, floor, horizon);
                });
    }

    private static Arbitrary<Gcra> gcras() {
        return Combinators.combine(spread(256_000, LONGEST * 256), Arbitraries.integers().between(1, 100))
                .as((length, burst) -> new Gcra(Math.max(256_000, length / burst), burst));
    }

    /** As many small numbers as large ones. */
    private static Arbitrary<Long> spread(long least, long most) {
        Arbitrary<Long> up = Arbitraries.doubles().between(0, 1)
                .map(part -> Math.min(most, Math.max(least, (long) Math.pow(most + 1.0, part) - 1)));
        return least >= 0
                ? Arbitraries.oneOf(up, Arbitraries.of(least, most))
                : Arbitraries.oneOf(
                        up,
                        Arbitraries.of(least, most, 0L),
                        Arbitraries.doubles().between(0, 1).map(part -> -(long) Math.pow(-(double) least, part)));
    }
}
