package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pacer.Cursor;
import dev.pacer.CursorException;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import io.r2dbc.spi.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Many keys in one statement. */
class BatchIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Database database = Database.fresh();

    @Test
    void aThousandKeysAtOnceGoIntoFewStatements() {
        try (TestProxy proxy = new TestProxy(database)) {
            PostgresCursor cursor = cursors.on(database.through(proxy.port()));
            take(cursor, "first");
            int before = proxy.roundTrips();
            List<Cursor.Grant> grants = takeAll(cursor, keys(1_000));
            assertThat(grants).hasSize(1_000).extracting(Cursor.Grant::permits).containsOnly(1L);
            assertThat(proxy.roundTrips() - before).isLessThan(20);
        }
    }

    @Test
    void aThousandLanesShareTheirStatements() {
        try (TestProxy proxy = new TestProxy(database)) {
            Pacer pacer = cursors.pacer(
                    database.through(proxy.port()), builder -> builder.defaultPace(Pace.perSecond(10)));
            pacer.reserve("first").block(PATIENCE);
            int before = proxy.roundTrips();
            Flux.fromIterable(keys(1_000)).flatMap(pacer::reserve, 1_000).blockLast(PATIENCE);
            assertThat(proxy.roundTrips() - before).isLessThan(100);
        }
    }

    @Test
    void keysWhoseRowsHaveGoneAreServedLikeNewOnes() {
        PostgresCursor cursor = cursors.on(database);
        takeAll(cursor, keys(100));
        database.run("DELETE FROM pacer_cursor WHERE key LIKE '%7'");
        List<Cursor.Grant> grants =
                Flux.fromIterable(keys(100))
                        .flatMap(key -> cursor.take(Claims.of(key, Claims.perSecond(1_000), 1, /* floor= */ 1)), 100)
                        .collectList()
                        .block(PATIENCE);
        assertThat(grants).hasSize(100).allSatisfy(grant -> {
            assertThat(grant.permits()).isEqualTo(1);
            assertThat(grant.start()).isGreaterThan(1);
        });
    }

    @Test
    void claimsOfOneKeyThatComeTogetherAreServedOneAfterTheOther() {
        PostgresCursor cursor = cursors.on(database);
        List<String> same = Stream.concat(Collections.nCopies(50, "a").stream(), Collections.nCopies(50, "b").stream())
                .toList();
        List<Cursor.Grant> grants = takeAll(cursor, same);
        assertThat(grants).hasSize(100).extracting(Cursor.Grant::permits).containsOnly(1L);
        assertThat(grants.subList(0, 100)).extracting(Cursor.Grant::start).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("C022, C025: keys of any text are keys of their own, alone and together")
    void keysOfAnyTextAreKeysOfTheirOwn() {
        List<String> odd = List.of("😀", "😀😀", "\uFFFD", "\uE000", "\uD83D\uDE01", "ﬀ", "Ä", "a\u0308", "Ä ", " ", "  ",
                "'", "''", "\"", "\\", "\\'", "%", "%s", "$1", "{a,b}", "{}", "NULL", "null", "a\nb", "a\rb", "a\tb", ",",
                "(a,b)", "a,b", "é", "e\u0301", "\u202e", "A", "a", "\u0001", "x".repeat(512), "😀".repeat(256),
                "x".repeat(511) + "y", "--", "/*", ":permits", "?", "a/b", "a\\/b");
        PostgresCursor cursor = cursors.on(database);
        for (int round = 0; round < 3; round++) {
            List<Cursor.Grant> grants = takeAll(cursor, odd);
            assertThat(grants).hasSize(odd.size()).extracting(Cursor.Grant::permits).containsOnly(1L);
        }
        odd.forEach(key -> take(cursor, key));
        assertThat(database.one("SELECT count(*) FROM pacer_cursor", Long.class)).isEqualTo(odd.size());
        assertThat(database.rows("SELECT key FROM pacer_cursor"))
                .extracting(row -> (String) row.get(0))
                .containsExactlyInAnyOrderElementsOf(odd);
    }

    @Test
    @DisplayName("C081: batches in opposite key orders never deadlock, in spite of keys that Java sorts otherwise")
    void oppositeKeyOrdersNeverDeadlock() {
        List<String> keys = new ArrayList<>(keys(40));
        for (int i = 0; i < 20; i++) {
            keys.add("😀" + i); // above U+FFFF: behind U+E000 and on in C order, before it in Java's
            keys.add("\uE000" + i);
            keys.add("Ä" + i);
        }
        takeAll(cursors.on(database), keys);
        Random random = new Random(7);
        List<PostgresCursor> all = IntStream.range(0, 4).mapToObj(i -> cursors.on(database)).toList();
        List<Cursor.Grant> grants = Flux.range(0, 40)
                .flatMap(
                        round -> {
                            List<String> mixed = new ArrayList<>(keys);
                            Collections.shuffle(mixed, random);
                            return Flux.fromIterable(mixed)
                                    .flatMap(key -> all.get(round % 4).take(Claims.one(key)), 512);
                        },
                        4)
                .collectList()
                .block(PATIENCE);
        assertThat(grants).hasSize(40 * keys.size()).extracting(Cursor.Grant::permits).containsOnly(1L);
        all.forEach(cursor -> cursor.close().block(PATIENCE)); // a session tells its counts when it ends
        Database.await("counts", PATIENCE, () -> database.one(
                "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()", Long.class) == 0);
        assertThat(database.one(
                        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()", Long.class))
                .isZero();
    }

    @Test
    @DisplayName("C078, P14: a locked key neither fails nor holds up the others, and does not wait for ever itself")
    void oneLockedKeyHoldsUpNoOther() {
        PostgresCursor cursor = cursors.with(builder -> builder.url(database.url()));
        takeAll(cursor, keys(20));
        Connection other = lock("key3");
        try {
            List<Mono<Cursor.Grant>> answers = keys(20).stream()
                    .map(key -> cursor.take(Claims.one(key)).cache())
                    .toList();
            answers.forEach(answer -> answer.subscribe(grant -> {}, refused -> {}));
            long start = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                if (i != 3) {
                    assertThat(answers.get(i).block(PATIENCE).permits()).isOne();
                }
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMillis(1_500));
            for (int i = 0; i < 10; i++) { // and what comes later waits for no more than one lock time limit
                long since = System.nanoTime();
                assertThat(take(cursor, "key" + (10 + i)).permits()).isOne();
                assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofMillis(1_500));
            }
            assertThatThrownBy(() -> answers.get(3).block(PATIENCE)).isInstanceOf(CursorException.class);
        } finally {
            unlock(other);
        }
        assertThat(take(cursor, "key3").permits()).isOne();
    }

    @Test
    @DisplayName("P14: a key that the database's encoding does not know fails alone")
    void aKeyThatTheDatabaseCannotStoreFailsAlone() {
        String name = database.name() + "_latin1";
        database.run("CREATE DATABASE " + name + " TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
        Database latin1 = new Database(database.url().replace("/" + database.name(), "/" + name));
        PostgresCursor cursor = cursors.on(latin1);
        take(cursor, "first");
        Map<String, Object> answers = Flux.just("a", "é", "😀", "b")
                .flatMap(key -> cursor.take(Claims.one(key))
                        .cast(Object.class)
                        .onErrorResume(Mono::just)
                        .map(answer -> Map.entry(key, answer)))
                .collectMap(Map.Entry::getKey, Map.Entry::getValue)
                .block(PATIENCE);
        assertThat(answers.get("😀")).isInstanceOf(CursorException.class);
        assertThat(answers).extractingByKeys("a", "é", "b").allMatch(answer -> answer instanceof Cursor.Grant);
    }

    @Test
    void aFloodOfQuestionsDoesNotHoldUpAReservation() {
        PostgresCursor cursor = cursors.on(database);
        take(cursor, "key");
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        Mono<Void> questions = Flux.range(0, 20_000)
                .flatMap(i -> cursor.peek("key" + i).doOnSuccess(none -> order.add("peek")), 20_000)
                .then()
                .cache();
        questions.subscribe();
        take(cursor, "key");
        order.add("take");
        questions.block(PATIENCE);
        assertThat(order.indexOf("take")).isLessThan(10_000);
    }

    @Test
    void aThousandKeysAreLookedAtInAFewStatements() {
        try (TestProxy proxy = new TestProxy(database)) {
            PostgresCursor cursor = cursors.on(database.through(proxy.port()));
            List<String> keys = keys(1_000);
            takeAll(cursor, keys);
            look(cursor, keys); // the driver prepares a statement in a round trip of its own
            int before = proxy.roundTrips();
            assertThat(look(cursor, keys)).hasSize(1_000);
            assertThat(proxy.roundTrips() - before).isLessThanOrEqualTo(4);
        }
    }

    @Test
    void aRowThatCannotBeReadSpoilsNoLookAtOthers() {
        PostgresCursor cursor = cursors.on(database);
        List<String> keys = keys(100);
        takeAll(cursor, keys);
        database.run(
                "CREATE FUNCTION unreadable() RETURNS bigint LANGUAGE plpgsql AS"
                        + " 'BEGIN RAISE EXCEPTION ''invalid page'' USING ERRCODE = ''XX001''; END'",
                "ALTER TABLE pacer_cursor RENAME TO readable",
                "CREATE VIEW pacer_cursor AS SELECT key, CASE WHEN key = 'key7' THEN unreadable() ELSE cursor END AS cursor,"
                        + " granted, read_at, seq, clamped, shut_until, strikes, generation, widening FROM readable");
        List<String> seen = Flux.fromIterable(keys)
                .flatMap(key -> cursor.peek(key).map(standing -> key).onErrorReturn("unreadable: " + key), keys.size())
                .collectList()
                .block(PATIENCE);
        assertThat(seen).hasSize(100).contains("unreadable: key7", "key6", "key8");
        assertThat(seen).filteredOn(each -> each.startsWith("unreadable")).hasSize(1);
    }

    private Connection lock(String key) {
        Connection other = database.open();
        Mono.from(other.beginTransaction()).block();
        Database.rows(other, "SELECT key FROM pacer_cursor WHERE key = '" + key + "' FOR UPDATE").blockLast();
        return other;
    }

    private static void unlock(Connection other) {
        Mono.from(other.rollbackTransaction()).then(Mono.from(other.close())).block();
    }

    private static List<String> keys(int count) {
        return IntStream.range(0, count).mapToObj(i -> "key" + i).toList();
    }

    private static List<Cursor.Grant> takeAll(Cursor cursor, List<String> keys) {
        return Flux.fromIterable(keys)
                .flatMap(key -> cursor.take(Claims.one(key)), keys.size())
                .collectList()
                .block(PATIENCE);
    }

    private static List<Cursor.Standing> look(Cursor cursor, List<String> keys) {
        return Flux.fromIterable(keys).flatMap(cursor::peek, keys.size()).collectList().block(PATIENCE);
    }

    private static Cursor.Grant take(Cursor cursor, String key) {
        return cursor.take(Claims.one(key)).block(PATIENCE);
    }
}
