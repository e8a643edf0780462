package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.R2dbcException;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

class TestDatabaseIT {
    @Test
    void answersOverR2dbc() {
        assertThat(query(TestDatabase.shared().url(), "select 'ready'")).containsExactly("ready");
    }

    @Test
    void aFreshDatabaseIsEmptyAndApartFromTheOthers() {
        String one = TestDatabase.shared().freshDatabase();
        String other = TestDatabase.shared().freshDatabase();
        query(one, "create table pace (key text)");
        String tables = "select table_name::text from information_schema.tables where table_schema = 'public'";
        assertThat(query(one, tables)).containsExactly("pace");
        assertThat(query(other, tables)).isEmpty();
    }

    @Test
    void aPrivateServerCanBeStoppedAndStartedAgainWithItsData() {
        TestDatabase database = TestDatabase.startPrivate();
        query(database.url(), "create table pace as select 'kept' as value");
        database.stop();
        assertThatThrownBy(() -> query(database.url(), "select 'x'")).isInstanceOf(R2dbcException.class);
        database.start();
        assertThat(query(database.url(), "select value from pace")).containsExactly("kept");
    }

    @Test
    void theSharedServerCannotBeStopped() {
        assertThatThrownBy(() -> TestDatabase.shared().stop()).isInstanceOf(IllegalStateException.class);
    }

    private static List<String> query(String url, String sql) {
        return Flux.usingWhen(
                        ConnectionFactories.get(url).create(),
                        connection -> Flux.from(connection.createStatement(sql).execute())
                                .flatMap(result -> result.map((row, metadata) -> row.get(0, String.class))),
                        Connection::close)
                .collectList()
                .block();
    }
}
