package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.crac.Checkpoints;
import io.r2dbc.spi.Connection;
import java.time.Duration;
import org.crac.Context;
import org.crac.Resource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a JVM with checkpoints would do, done by hand. */
class CheckpointIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Database database = Database.fresh();

    /** The one that a registered resource is called with; ours does not look at it. */
    private static final Context<Resource> CONTEXT = new Context<>() {
        @Override
        public void beforeCheckpoint(Context<? extends Resource> context) {}

        @Override
        public void afterRestore(Context<? extends Resource> context) {}

        @Override
        public void register(Resource resource) {}
    };

    @Test
    void theConnectionIsClosedBeforeACheckpointAndOpenedAfterTheRestore() throws Exception {
        RecordingCursor places = new RecordingCursor(cursors.on(database));
        Pacer pacer = cursors.pacer(places, builder -> builder.defaultPace(Pace.perSecond(20)));
        Mono<Void> calls = Flux.range(0, 40).flatMap(i -> pacer.reserve("key"), 40).then().cache();
        calls.subscribe();
        Database.await("it has begun", PATIENCE, () -> places.claims() > 3);
        Checkpoints guard = Checkpoints.guard(pacer);
        guard.beforeCheckpoint(CONTEXT);
        Database.await("no connection", PATIENCE, () -> database.sessions("pacer") == 0);
        int before = places.places().size();
        long restored = database.now();
        assertThat(database.sessions("pacer")).isZero();
        guard.afterRestore(CONTEXT);
        calls.block(PATIENCE);
        assertThat(places.places()).hasSizeGreaterThan(before);
        assertThat(places.places().subList(before, places.places().size())).allMatch(place -> place >= restored);
        Slots.assertApart(places.places(), Duration.ofMillis(50));
        assertThat(pacer.isDegraded()).isFalse();
    }

    @Test
    void whatWaitsForItsTurnWhenACheckpointComesOpensNoConnection() throws Exception {
        PostgresCursor cursor = cursors.on(database);
        Pacer pacer = cursors.pacer(cursor, builder -> builder.defaultPace(Pace.perSecond(20)));
        pacer.reserve("key").block(PATIENCE);
        Connection other = database.open();
        Database.run(other, "BEGIN");
        Database.run(other, "LOCK TABLE pacer_cursor");
        Mono<Void> calls = Flux.range(0, 40).flatMap(i -> pacer.reserve("key" + i), 40).then().cache();
        calls.subscribe();
        Database.await("it waits for the lock", PATIENCE, () -> waiting() > 0);
        pacer.suspend().block(PATIENCE);
        Database.run(other, "ROLLBACK");
        Mono.from(other.close()).block(PATIENCE);
        Database.await("no connection", PATIENCE, () -> database.sessions("pacer") == 0);
        Mono.delay(Duration.ofMillis(300)).block(PATIENCE);
        assertThat(database.sessions("pacer")).isZero();
        pacer.resume();
        calls.block(PATIENCE);
    }

    private long waiting() {
        return database.one(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()", Long.class);
    }

    @Test
    void aConnectionThatIsOnItsWayWhenACheckpointComesIsNotLeftBehind() {
        try (TestProxy proxy = new TestProxy(database)) {
            PostgresCursor cursor = cursors.on(database.through(proxy.port()));
            proxy.delayConnections(Duration.ofMillis(700));
            cursor.take(Claims.one("key")).subscribe(grant -> {}, letGo -> {});
            Database.await("it connects", PATIENCE, () -> proxy.connections() == 1);
            cursor.suspend().block(PATIENCE);
            assertThat(cursor.take(Claims.one("key")).block(PATIENCE).permits()).isOne();
            Database.await("only one is left", PATIENCE, () -> database.sessions("pacer") == 1 && proxy.openClients() == 1);
            Mono.delay(Duration.ofSeconds(1)).block(PATIENCE);
            assertThat(proxy.openClients()).isOne();
            assertThat(database.sessions("pacer")).isOne();
        }
    }
}
