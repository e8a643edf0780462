package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pacer.Cursor;
import dev.pacer.CursorException;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

class TableIT {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Database database = Database.fresh();

    @Test
    void sixteenThatStartTogetherCreateTheTableWithoutAnError() {
        List<PostgresCursor> all =
                IntStream.range(0, 16).mapToObj(i -> cursors.on(database)).toList();
        List<Cursor.Grant> grants = Flux.fromIterable(all)
                .flatMap(cursor -> cursor.take(Claims.one("key")), 16)
                .collectList()
                .block(PATIENCE);
        assertThat(grants).extracting(Cursor.Grant::permits).containsOnly(1L).hasSize(16);
        assertThat(grants).extracting(Cursor.Grant::start).doesNotHaveDuplicates();
    }

    @Test
    void aTableThatIsDroppedInTheMiddleIsCreatedAgain() {
        PostgresCursor cursor = cursors.on(database);
        take(cursor, Claims.one("key"));
        database.run("DROP TABLE pacer_cursor");
        assertThat(take(cursor, Claims.one("key")).permits()).isEqualTo(1);
        database.run("DROP TABLE pacer_cursor");
        assertThat(cursor.peek("key").blockOptional(PATIENCE)).as("never used").isEmpty();
    }

    @Test
    void aTableThatIsDroppedTogetherWithTheSessionIsCreatedAgain() {
        PostgresCursor cursor = cursors.on(database);
        take(cursor, Claims.one("key"));
        database.run("DROP TABLE pacer_cursor");
        database.terminate("pacer");
        assertThat(take(cursor, Claims.one("key")).permits()).isEqualTo(1);
    }

    @Test
    void aDatabaseThatIsReadOnlyForAWhileIsSaidToBeSoAndUsedAfterwards() {
        database.run("ALTER DATABASE " + database.name() + " SET default_transaction_read_only = on");
        PostgresCursor cursor = cursors.on(database);
        assertThatThrownBy(() -> take(cursor, Claims.one("key")))
                .isInstanceOf(CursorException.class)
                .hasMessageContaining("read-only");
        new Database(database.url().replace("/" + database.name(), "/postgres"))
                .run("ALTER DATABASE " + database.name() + " RESET default_transaction_read_only");
        assertThat(take(cursor, Claims.one("key")).permits()).isEqualTo(1);
    }

    @Test
    void aRoleWithoutAFreeConnectionIsToldSoAndServedAfterwards() {
        database.createTable();
        Database role = role("crowded", "GRANT SELECT, INSERT, UPDATE ON pacer_cursor TO PUBLIC");
        database.run("ALTER ROLE crowded_" + database.name() + " CONNECTION LIMIT 0");
        PostgresCursor cursor = cursors.on(role);
        assertThatThrownBy(() -> take(cursor, Claims.one("key")))
                .isInstanceOf(CursorException.class)
                .hasMessageContaining("too many connections");
        database.run("ALTER ROLE crowded_" + database.name() + " CONNECTION LIMIT 1");
        assertThat(take(cursor, Claims.one("key")).permits()).isEqualTo(1);
    }

    @Test
    void aMissingTableThatIsNotToBeCreatedIsExplained() {
        PostgresCursor cursor = cursors.with(builder -> builder.url(database.url()).createTable(false));
        assertThatThrownBy(() -> take(cursor, Claims.one("key")))
                .isInstanceOf(CursorException.class)
                .hasMessageContaining("dev/pacer/postgres/pacer_cursor.sql")
                .hasMessageContaining("createTable")
                .hasMessageContaining("pacer_cursor");
        database.createTable();
        assertThat(take(cursor, Claims.one("key")).permits()).isEqualTo(1);
    }

    @Test
    void theShippedDefinitionWorksByItselfAndTwice() throws IOException {
        try (InputStream in = Cursor.class.getClassLoader().getResourceAsStream("dev/pacer/postgres/pacer_cursor.sql")) {
            String ddl = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            database.run(ddl, ddl);
        }
        PostgresCursor cursor = cursors.with(builder -> builder.url(database.url()).createTable(false));
        assertThat(take(cursor, Claims.one("key")).permits()).isEqualTo(1);
    }

    @Test
    void aRoleThatMayNotCreateIsToldWhatToGrant() {
        PostgresCursor cursor = cursors.on(role("maker", "REVOKE CREATE ON SCHEMA public FROM PUBLIC"));
        assertThatThrownBy(() -> take(cursor, Claims.one("key")))
                .isInstanceOf(CursorException.class)
                .hasMessageContaining("CREATE on its schema")
                .hasMessageContaining("createTable(false)");
    }

    @Test
    void aRoleThatMayNotUpdateIsToldWhatToGrantAndThatIsEnough() {
        database.createTable();
        Database role = role("mover", "GRANT SELECT, INSERT ON pacer_cursor TO PUBLIC");
        PostgresCursor cursor = cursors.on(role);
        assertThatThrownBy(() -> take(cursor, Claims.one("key")))
                .isInstanceOf(CursorException.class)
                .hasMessageContaining("GRANT SELECT, INSERT, UPDATE ON pacer_cursor");
        database.run("GRANT SELECT, INSERT, UPDATE ON pacer_cursor TO PUBLIC");
        Cursor.Claim claim = Claims.one("key");
        Cursor.Grant grant = take(cursor, claim);
        assertThat(cursor.giveBack(Claims.tail(claim, grant, 1)).block(PATIENCE)).isTrue();
        assertThat(cursor.peek("key").block(PATIENCE)).isNotNull();
    }

    @Test
    void aRoleThatMayNotUseTheSchemaIsToldWhatToGrant() {
        database.run("CREATE SCHEMA hidden");
        Database role = role("outsider", "REVOKE ALL ON SCHEMA hidden FROM PUBLIC");
        PostgresCursor cursor = cursors.with(builder -> builder.url(role.url()).table("hidden.pacer_cursor"));
        assertThatThrownBy(() -> take(cursor, Claims.one("key")))
                .isInstanceOf(CursorException.class)
                .hasMessageContaining("USAGE");
    }

    @Test
    void aMissingSchemaIsExplained() {
        PostgresCursor cursor = cursors.with(builder -> builder.url(database.url()).table("nowhere.pace"));
        assertThatThrownBy(() -> take(cursor, Claims.one("key")))
                .isInstanceOf(CursorException.class)
                .hasMessageContaining("nowhere.pace");
    }

    @Test
    void aTableThatIsNotPacersIsExplained() {
        database.run("CREATE TABLE pacer_cursor (key text PRIMARY KEY, tat timestamptz)");
        assertThatThrownBy(() -> take(cursors.on(database), Claims.one("key")))
                .isInstanceOf(CursorException.class)
                .hasMessageContaining("not the one that pacer ships");
    }

    @ParameterizedTest
    @ValueSource(strings = {"paced.cursors", "order", "CamelCase", "select.from", "_under$core"})
    void anyPlainNameCanBeTheTable(String name) {
        if (name.contains(".")) {
            database.run("CREATE SCHEMA \"" + name.replaceFirst("\\..*", "") + "\"");
        }
        PostgresCursor cursor = cursors.with(builder -> builder.url(database.url()).table(name));
        Cursor.Claim claim = Claims.one("key");
        Cursor.Grant grant = take(cursor, claim);
        assertThat(cursor.giveBack(Claims.tail(claim, grant, 1)).block(PATIENCE)).isTrue();
        assertThat(database.one("SELECT count(*) FROM \"" + name.replace(".", "\".\"") + "\"", Long.class)).isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a\"b", "a;b", "a.b.c", ".a", "a.", "1a", "a--", "täble", "a\n",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"})
    void anyOtherNameIsRefusedAtOnce(String name) {
        assertThatThrownBy(() -> PostgresCursor.builder().url(database.url()).table(name).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("table must be")
                .hasMessageContaining(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRUNCATE pacer_cursor", "DELETE FROM pacer_cursor", "DROP TABLE pacer_cursor"})
    void whoeverRemovesTheRowInTheMiddleOfTrafficDoesNotRaiseTheCeiling(String removal) {
        RecordingCursor places = new RecordingCursor(cursors.on(database));
        Pacer pacer = cursors.pacer(places, builder -> builder.defaultPace(Pace.perSecond(40)));
        Flux.range(0, 60)
                .flatMap(
                        i -> pacer.reserve("key").doOnNext(waited -> {
                            if (i % 20 == 10) {
                                new Thread(() -> database.run(removal)).start();
                            }
                        }),
                        60)
                .blockLast(PATIENCE);
        Slots.assertApart(places.places(), Duration.ofMillis(25));
    }

    @Test
    void aCallThatComesAfterTheRowIsGoneIsServed() {
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(10)));
        pacer.reserve("key").block(PATIENCE);
        database.run("DELETE FROM pacer_cursor");
        pacer.reserve("key").block(Duration.ofSeconds(2));
    }

    @Test
    void aCursorAnHourAheadIsClampedAndCounted() {
        database.createTable();
        database.place("key", Duration.ofHours(1));
        Tally tally = new Tally();
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(20)).listener(tally));
        Flux.range(0, 3).flatMap(i -> pacer.reserve("key")).blockLast(Duration.ofSeconds(5));
        assertThat(tally.clamped.get()).isOne();
        assertThat(database.row("key").cursor() - database.now()).isLessThan(Duration.ofSeconds(5).toNanos());
    }

    @Test
    void aFloorOfAnotherClockIsClamped() {
        database.createTable();
        PostgresCursor cursor = cursors.on(database);
        long anHourAhead = database.now() + Duration.ofHours(1).toNanos();
        Cursor.Grant grant = take(cursor, Claims.of("key", Claims.perSecond(10), 1, anHourAhead));
        assertThat(grant.waitNanos()).isZero();
    }

    private Database role(String name, String... more) {
        String role = name + "_" + database.name();
        database.run("CREATE ROLE " + role + " LOGIN PASSWORD 'secret'");
        database.run(more);
        return database.as(role, "secret");
    }

    private static Cursor.Grant take(Cursor cursor, Cursor.Claim claim) {
        return cursor.take(claim).block(PATIENCE);
    }
}
