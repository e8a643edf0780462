package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.pacer.Cursor;
import dev.pacer.CursorException;
import dev.pacer.CursorException.Extent;
import io.r2dbc.spi.Connection;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** A table that somebody changes while it is in use, and settings of a role that get in the way. */
class AlteredTableIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long MEMORY = Duration.ofSeconds(30).toNanos();

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Database database = Database.fresh();

    @ParameterizedTest
    @DisplayName("C102: a check-in shows whether claims can be made, or each latch would end with one that fails")
    @ValueSource(strings = {
        "REVOKE UPDATE ON pacer_cursor FROM tester",
        "REVOKE INSERT ON pacer_cursor FROM tester",
        "ALTER TABLE pacer_cursor RENAME clamped TO clipped",
        "ALTER TABLE pacer_cursor RENAME TO other; CREATE VIEW pacer_cursor AS SELECT DISTINCT * FROM other",
    })
    void aCheckInFailsWhereAClaimWould(String change) {
        String role = "tester_" + database.name();
        database.createTable();
        database.run(
                "CREATE ROLE " + role + " LOGIN PASSWORD 'secret'",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON pacer_cursor, pacer_cursor_process TO " + role);
        PostgresCursor cursor = cursors.with(builder -> builder.url(database.as(role, "secret").url()).createTable(false));
        take(cursor, "key");
        cursor.checkIn(MEMORY).block(PATIENCE);
        database.run(change.replace("tester", role).split("; "));
        assertThatThrownBy(() -> take(cursor, "key")).isInstanceOf(CursorException.class);
        assertThatThrownBy(() -> cursor.checkIn(MEMORY).block(PATIENCE)).isInstanceOf(CursorException.class);
        assertThatThrownBy(() -> cursor.checkIn(0).block(PATIENCE)).isInstanceOf(CursorException.class);
        cursor.close().block(PATIENCE);
        database.run("DROP OWNED BY " + role, "DROP ROLE " + role);
    }

    @Test
    @DisplayName("P11: a column that is altered under a prepared statement is no reason to stay away for ever")
    void anAlteredColumnIsReadByANewConnection() {
        PostgresCursor cursor = cursors.on(database);
        for (int i = 0; i < 10; i++) {
            take(cursor, "key");
        }
        database.run("ALTER TABLE pacer_cursor ALTER strikes TYPE bigint");
        take(cursor, "key");
    }

    @Test
    void aTimeLimitForTransactionsThatTheRoleHasDoesNotEndTheSession() {
        database.createTable();
        database.run("ALTER DATABASE " + database.name() + " SET transaction_timeout = '150ms'");
        PostgresCursor cursor = cursors.with(builder -> builder.url(database.url()).timeLimit(Duration.ofSeconds(4)));
        take(cursor, "key");
        Connection other = database.open();
        Database.run(other, "SET transaction_timeout = 0");
        Database.run(other, "BEGIN");
        Database.run(other, "SELECT 1 FROM pacer_cursor FOR UPDATE");
        assertThatThrownBy(() -> take(cursor, "key")).asInstanceOf(type(CursorException.class))
                .extracting(CursorException::extent).isEqualTo(Extent.KEY);
        Mono.from(other.close()).block(PATIENCE);
    }

    @ParameterizedTest
    @DisplayName("P14: what a trigger has against one key goes no further than that key")
    @CsvSource({"P0001, KEY", "44000, KEY", "XX001, KEY", "23514, CALL", "22023, CALL", "40001, KEY"})
    void aTriggersErrorAboutOneKey(String state, Extent extent) {
        PostgresCursor cursor = cursors.on(database);
        take(cursor, "good");
        database.run(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                        + " $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '" + state + "'; END $$",
                "CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON pacer_cursor FOR EACH ROW WHEN (NEW.key = 'bad')"
                        + " EXECUTE FUNCTION refuse()");
        assertThatThrownBy(() -> take(cursor, "bad")).asInstanceOf(type(CursorException.class))
                .extracting(CursorException::extent).isEqualTo(extent);
        assertThat(take(cursor, "good").permits()).isOne();
    }

    private static Cursor.Grant take(Cursor cursor, String key) {
        return cursor.take(Claims.one(key)).block(PATIENCE);
    }
}
