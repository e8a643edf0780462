package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** P5, with a database whose clock the test can set: a function of the same name is found before the server's own. */
class ClockIT {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @RegisterExtension
    final Cursors cursors = new Cursors();

    private final Database database = Database.fresh();
    private final Tally tally = new Tally();

    @BeforeEach
    void takeOverTheClock() {
        database.run(
                "CREATE TABLE skew AS SELECT interval '0' AS by",
                "CREATE SCHEMA fake",
                "CREATE FUNCTION fake.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS"
                        + " 'SELECT pg_catalog.clock_timestamp() + (SELECT by FROM public.skew)'",
                "ALTER DATABASE " + database.name() + " SET search_path = fake, pg_catalog, public");
    }

    @ParameterizedTest
    @ValueSource(strings = {"90 seconds", "-90 seconds", "10 years", "-10 years"})
    @DisplayName("C018: a database whose clock differs from the application's changes no wait")
    void aClockThatIsFarOffChangesNoWait(String skew) {
        set(skew);
        Pacer pacer = pacer(10);
        pacer.reserve("key").block(PATIENCE);
        assertThat(pacer.reserve("key").block(PATIENCE)).isLessThan(Duration.ofSeconds(1));
        Flux.range(0, 5).flatMap(i -> pacer.reserve("key")).blockLast(Duration.ofSeconds(3));
        assertThat(tally.clamped.get()).isZero();
    }

    @Test
    void aClockThatJumpsAheadGivesNoBurst() {
        Pacer pacer = pacer(10);
        pacer.reserve("key").block(PATIENCE);
        set("1 hour");
        long start = System.nanoTime();
        Flux.range(0, 6).flatMap(i -> pacer.reserve("key")).blockLast(PATIENCE);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(450));
    }

    @Test
    void aClockThatJumpsBackAnHourIsNotAnHourOfSilence() {
        Pacer pacer = pacer(10);
        pacer.reserve("key").block(PATIENCE);
        set("-1 hour");
        Flux.range(0, 6).flatMap(i -> pacer.reserve("key")).blockLast(PATIENCE);
        assertThat(tally.clamped.get()).isPositive();
    }

    @Test
    void aClockThatJumpsToAndFroUnderTrafficNeitherStopsNorHurriesIt() {
        Pacer pacer = pacer(20);
        pacer.reserve("key").block(PATIENCE);
        long start = System.nanoTime();
        Flux.range(0, 40)
                .flatMap(i -> pacer.reserve("key").doOnNext(waited -> {
                    if (i % 10 == 5) {
                        new Thread(() -> set(i % 20 == 5 ? "2 hours" : "0")).start();
                    }
                }), 40)
                .blockLast(PATIENCE);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(39 * 50 - 150));
    }

    private Pacer pacer(int perSecond) {
        return cursors.pacer(database, builder -> builder.defaultPace(Pace.perSecond(perSecond)).listener(tally));
    }

    private void set(String skew) {
        database.run("UPDATE public.skew SET by = '" + skew + "'");
    }
}
