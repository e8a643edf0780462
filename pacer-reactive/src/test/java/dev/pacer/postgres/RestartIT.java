package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pacer.CursorException;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** A server that goes and comes back, in a test of its own. */
class RestartIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    final Cursors cursors = new Cursors();

    @Test
    void aServerThatIsDownIsSaidToBeSoAtOnceAndUsedAgainWhenItIsUp() {
        TestDatabase server = TestDatabase.startPrivate();
        Database database = new Database(server.url());
        RecordingCursor places = new RecordingCursor(cursors.on(database));
        Pacer pacer = cursors.pacer(places, builder -> builder.defaultPace(Pace.perSecond(100)).noFallback());
        Flux.range(0, 30).flatMap(i -> pacer.reserve("key")).blockLast(PATIENCE);
        server.stop();
        for (int i = 0; i < 3; i++) {
            long start = System.nanoTime();
            assertThatThrownBy(() -> pacer.reserve("other").block(PATIENCE)).isInstanceOf(CursorException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        }
        server.start();
        Flux.range(0, 30).flatMap(i -> pacer.reserve("key")).blockLast(PATIENCE);
        assertThat(places.places()).hasSizeGreaterThanOrEqualTo(60);
        Slots.assertApart(places.places(), Duration.ofMillis(10));
        server.stop();
    }
}
