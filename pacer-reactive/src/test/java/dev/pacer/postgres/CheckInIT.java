package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.pacer.Cursor.Fleet;
import dev.pacer.CursorException;
import dev.pacer.CursorException.Extent;
import io.r2dbc.spi.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** How processes are counted, and how it is seen that the database is there. */
class CheckInIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long MEMORY = Duration.ofSeconds(30).toNanos();

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Database database = Database.fresh();

    @Test
    void processesThatShareATableCountEachOther() {
        List<PostgresCursor> fleet = Stream.generate(() -> cursors.on(database)).limit(16).toList();
        Flux.fromIterable(fleet).flatMap(cursor -> cursor.checkIn(MEMORY), 16).blockLast(PATIENCE);
        assertThat(fleet).allSatisfy(cursor -> assertThat(checkIn(cursor).processes()).isEqualTo(16));
        PostgresCursor apart = cursors.with(builder -> builder.url(database.url()).table("apart"));
        assertThat(checkIn(apart).processes()).isOne();
    }

    @Test
    void whoWasNotHeardOfIsNotCountedAndItsRowIsGone() {
        PostgresCursor dead = cursors.on(database);
        PostgresCursor alive = cursors.on(database);
        checkIn(dead);
        assertThat(checkIn(alive).processes()).isEqualTo(2);
        database.run("UPDATE pacer_cursor_process SET seen_at = seen_at - 31000000000");
        assertThat(checkIn(alive).processes()).isOne();
        checkIn(alive);
        assertThat(rows()).isOne();
        assertThat(checkIn(dead).processes()).isEqualTo(2);
    }

    private long rows() {
        return database.one("SELECT count(*) FROM pacer_cursor_process", Long.class);
    }

    @Test
    @DisplayName("P11: after an outage all come back at once, each to rows of others that are as old as its own")
    void theRowOfAnotherThatIsJustComingBackHoldsNobodyUp() {
        PostgresCursor cursor = cursors.with(builder -> builder.url(database.url()));
        checkIn(cursor);
        database.run("INSERT INTO pacer_cursor_process VALUES ('comes back', 0)");
        Connection connection = database.open();
        Database.run(connection, "BEGIN");
        Database.run(connection, "UPDATE pacer_cursor_process SET seen_at = 1 WHERE id = 'comes back'");
        assertThat(checkIn(cursor).processes()).isOne();
        Mono.from(connection.close()).block(PATIENCE);
    }

    @Test
    void theClockIsTheServers() {
        PostgresCursor cursor = cursors.on(database);
        checkIn(cursor);
        long before = database.now();
        long clock = checkIn(cursor).clock();
        assertThat(clock).isBetween(before, database.now());
        assertThat(cursor.checkIn(0).block(PATIENCE).clock()).isBetween(clock, database.now());
    }

    @Test
    void nobodyIsCountedWhereThatIsNotWanted() {
        PostgresCursor cursor = cursors.on(database);
        assertThat(cursor.checkIn(0).block(PATIENCE).processes()).isZero();
        assertThat(rows()).isZero();
    }

    @Test
    void aServerThatCannotBeWrittenToIsAway() {
        PostgresCursor cursor = cursors.on(database);
        checkIn(cursor);
        database.run("ALTER DATABASE " + database.name() + " SET default_transaction_read_only = on");
        database.terminate("pacer");
        assertThatThrownBy(() -> checkIn(cursor)).asInstanceOf(type(CursorException.class))
                .extracting(CursorException::extent).isEqualTo(Extent.ALL);
        assertThatThrownBy(() -> cursor.checkIn(0).block(PATIENCE)).asInstanceOf(type(CursorException.class))
                .extracting(CursorException::extent).isEqualTo(Extent.ALL);
    }

    @Test
    void aRoleThatMayNotCountIsToldThatTheDatabaseIsThereAllTheSame() {
        cursors.on(database).take(Claims.one("key")).block(PATIENCE);
        String role = "few_rights_" + database.name();
        database.run(
                "DROP TABLE IF EXISTS pacer_cursor_process",
                "CREATE ROLE " + role + " LOGIN PASSWORD 'secret'",
                "GRANT SELECT, INSERT, UPDATE ON pacer_cursor TO " + role,
                "REVOKE CREATE ON SCHEMA public FROM PUBLIC");
        PostgresCursor cursor = cursors.on(database.as(role, "secret"));
        Fleet fleet = checkIn(cursor);
        assertThat(fleet.processes()).isZero();
        assertThat(fleet.clock()).isPositive();
        assertThat(cursor.take(Claims.one("key")).block(PATIENCE).permits()).isOne();
        database.run("DROP OWNED BY " + role, "DROP ROLE " + role);
    }

    private static Fleet checkIn(PostgresCursor cursor) {
        return cursor.checkIn(MEMORY).block(PATIENCE);
    }
}
