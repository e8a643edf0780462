package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.crac.Checkpoints;
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
}
