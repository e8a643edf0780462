package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

class FairnessIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Database database = Database.fresh();

    @Test
    @DisplayName("P10: beside a process with 10 000 waiting calls, a call waits about a quantum, not the backlog")
    void aCallDoesNotWaitForAnotherProcessesBacklog() {
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(200)));
        pacer.reserve("other").block(PATIENCE);
        try (PacerProcess backlog = PacerProcess.start(database.url(), "key", 200, 10_000).ready()) {
            backlog.go(System.nanoTime());
            Database.await("it books", PATIENCE, () -> database.row("key") != null && database.row("key").seq() > 3);
            List<Duration> waits = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                waits.add(pacer.reserve("key").block(PATIENCE));
            }
            waits.sort(null);
            // a quantum of 100 ms and a turn; the backlog alone would take 50 s
            assertThat(waits.get(10)).isLessThan(Duration.ofMillis(500));
            assertThat(waits.get(19)).isLessThan(Duration.ofSeconds(3));
        }
    }

    @Test
    void processesWithBacklogsShareAboutEqually() {
        List<Tally> tallies = IntStream.range(0, 3).mapToObj(i -> new Tally()).toList();
        List<Disposable> calls = tallies.stream()
                .map(tally -> cursors.pacer(
                        database, builder -> builder.defaultPace(Pace.perSecond(300)).listener(tally)))
                .map(pacer -> Flux.range(0, 5_000).flatMap(i -> pacer.reserve("key"), 5_000).subscribe())
                .toList();
        Database.await("a thousand are served", PATIENCE,
                () -> tallies.stream().mapToLong(tally -> tally.released.get()).sum() >= 1_000);
        List<Long> shares = tallies.stream().map(tally -> tally.released.get()).toList();
        calls.forEach(Disposable::dispose);
        long all = shares.stream().mapToLong(Long::longValue).sum();
        assertThat(shares).allSatisfy(share -> assertThat(share * 3.0 / all).isBetween(0.6, 1.4));
    }

    @Test
    @DisplayName("C096: an urgent call is not held up by those that wait in its own process")
    void anUrgentCallGoesFirst() {
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(4)));
        pacer.reserve("key").block(PATIENCE);
        Disposable background = Flux.range(0, 40)
                .flatMap(i -> pacer.reserve("key", dev.pacer.Call.ONE.priority(dev.pacer.Priority.BULK)), 40)
                .subscribe();
        Duration wait = pacer.reserve("key", dev.pacer.Call.ONE.priority(dev.pacer.Priority.URGENT)).block(PATIENCE);
        background.dispose();
        assertThat(wait).isLessThan(Duration.ofSeconds(3)); // the backlog would take 10 s
    }

    @Test
    @DisplayName("C095: callers that come again and again get their turns in order")
    void callersThatLoopGetEqualTurns() {
        Pacer pacer = cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(200)));
        int[] turns = new int[20];
        Disposable loops = Flux.range(0, 20)
                .flatMap(caller -> pacer.reserve("key").doOnNext(waited -> turns[caller]++).repeat(), 20)
                .subscribe();
        Database.await("turns", PATIENCE, () -> IntStream.of(turns).sum() >= 400);
        loops.dispose();
        assertThat(IntStream.of(turns).max().orElseThrow() - IntStream.of(turns).min().orElseThrow())
                .isLessThanOrEqualTo(3);
    }
}
