package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** The claim that pacer exists for, and the proof that the test of it can fail. */
class ThreeProcessesIT {
    private static final int CEILING = 20;
    private static final int PROCESSES = 3;
    private static final int CALLS = 10;

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Database database = Database.fresh();

    @Test
    @DisplayName("P1: three processes share a ceiling of 20 a second")
    void threeProcessesStayUnderOneCeiling() {
        List<PacerProcess.Report> reports = run(() -> PacerProcess.start(database.url(), "key", CEILING, CALLS));
        List<Long> places = reports.stream().flatMap(report -> report.places().stream()).toList();
        assertThat(places).hasSizeGreaterThanOrEqualTo(PROCESSES * CALLS);
        Slots.assertApart(places, Duration.ofMillis(50));
        List<Long> released = released(reports);
        Duration lateness = Duration.ofNanos(reports.stream().mapToLong(PacerProcess.Report::lateness).max().orElseThrow());
        assertThat(Slots.most(released, Duration.ofSeconds(1).minus(lateness)))
                .as("in any second, less a lateness of %s", lateness)
                .isLessThanOrEqualTo(CEILING);
        assertThat(Slots.span(released) + lateness.toNanos()).isGreaterThanOrEqualTo(Duration.ofMillis(29 * 50).toNanos());
        assertThat(ratePerSecond(released)).as("nor is it much slower").isGreaterThan(CEILING / 2.0);
    }

    @Test
    @DisplayName("the same measurement, with the sharing taken out, exceeds the ceiling by about the number of processes")
    void withoutSharingThreeProcessesExceedItAboutThreefold() {
        List<Long> released = released(run(() -> PacerProcess.startUnshared("key", CEILING, CALLS)));
        assertThat(Slots.most(released, Duration.ofSeconds(1))).isGreaterThan(CEILING);
        assertThat(ratePerSecond(released)).isBetween(2.0 * CEILING, 3.5 * CEILING);
    }

    @Test
    @DisplayName("C003: four pacers with a connection each, 10 a second: 200 slots, 100 ms apart")
    void fourCursorsHandOutTwoHundredSlotsAHundredMillisecondsApart() {
        List<RecordingCursor> all = IntStream.range(0, 4).mapToObj(i -> new RecordingCursor(cursors.on(database))).toList();
        Flux.fromIterable(all)
                .flatMap(cursor -> Flux.range(0, 50)
                        .flatMap(i -> cursor.take(Claims.of("key", Claims.perSecond(10), 1, i)), 4))
                .blockLast(Duration.ofSeconds(30));
        List<Long> places = all.stream().flatMap(cursor -> cursor.places().stream()).toList();
        assertThat(places).hasSize(200).doesNotHaveDuplicates();
        Slots.assertApart(places, Duration.ofMillis(100));
        assertThat(Slots.span(places)).isGreaterThanOrEqualTo(Duration.ofMillis(19_900).toNanos());
    }

    @Test
    @DisplayName("C003: four independent pacers in one process stay under one ceiling")
    void fourPacersInOneProcessStayUnderOneCeiling() {
        List<RecordingCursor> all = IntStream.range(0, 4).mapToObj(i -> new RecordingCursor(cursors.on(database))).toList();
        List<Pacer> pacers = all.stream()
                .map(cursor -> cursors.pacer(cursor, builder -> builder.defaultPace(Pace.perSecond(100))))
                .toList();
        Flux.fromIterable(pacers)
                .flatMap(pacer -> Flux.range(0, 50).flatMap(i -> pacer.reserve("key"), 50), 4)
                .blockLast(Duration.ofSeconds(30));
        List<Long> places = all.stream().flatMap(cursor -> cursor.places().stream()).toList();
        assertThat(places).hasSizeGreaterThanOrEqualTo(200);
        Slots.assertApart(places, Duration.ofMillis(10));
    }

    @Test
    @DisplayName("C093: a process that forgets to close its pacer ends all the same")
    void aProcessEndsWithoutClosing() throws InterruptedException {
        try (PacerProcess process = PacerProcess.start(database.url(), "key", 100, 10).ready()) {
            process.go(System.nanoTime());
            process.report();
            assertThat(process.endsWithin(Duration.ofSeconds(10))).isTrue();
        }
    }

    @Test
    @DisplayName("C091: a process that is killed while calls wait leaves nothing to clean up and at most a quantum unused")
    void aKilledProcessHoldsNobodyUp() {
        try (PacerProcess process = PacerProcess.start(database.url(), "key", 5, 20).ready()) {
            process.go(System.nanoTime());
            Database.await("it books", Duration.ofSeconds(10), () -> database.row("key") != null && database.row("key").seq() > 2);
        }
        long cursor = database.row("key").cursor();
        RecordingCursor places = new RecordingCursor(cursors.on(database));
        Pacer pacer = cursors.pacer(places, builder -> builder.defaultPace(Pace.perSecond(5)));
        assertThat(pacer.reserve("key").block(Duration.ofSeconds(10))).isLessThan(Duration.ofSeconds(2));
        assertThat(places.places().get(0)).isGreaterThanOrEqualTo(cursor);
    }

    private static List<PacerProcess.Report> run(Supplier<PacerProcess> start) {
        List<PacerProcess> processes = IntStream.range(0, PROCESSES).mapToObj(i -> start.get()).toList();
        try {
            processes.forEach(PacerProcess::ready);
            long soon = System.nanoTime() + Duration.ofMillis(300).toNanos();
            processes.forEach(process -> process.go(soon));
            return processes.stream().map(PacerProcess::report).toList();
        } finally {
            processes.forEach(PacerProcess::close);
        }
    }

    private static List<Long> released(List<PacerProcess.Report> reports) {
        List<Long> all = reports.stream().flatMap(report -> report.released().stream()).toList();
        assertThat(all).hasSize(PROCESSES * CALLS);
        return all;
    }

    private static double ratePerSecond(List<Long> released) {
        return (released.size() - 1) * 1e9 / Slots.span(released);
    }
}
