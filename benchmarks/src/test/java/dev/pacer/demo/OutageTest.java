package dev.pacer.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The database is away for 10 s of a run of two workers. */
class OutageTest {

    private static final long SECOND = 1_000_000_000;
    private static final Plan PLAN = new Plan(
            7, 0.1, /* processes= */ 2, /* requests= */ 210, 0, /* outageSeconds= */ 10, 50, 1, true, null);

    private final Outage outage = new Outage(PLAN);

    @Test
    void itBeginsAfterAThirdOfTheRequests() {
        assertThat(Outage.after(PLAN)).isEqualTo(70);
    }

    @Test
    void theyAreAloneWhenTheLastHasNoticedAndShareWhenTheLastIsBack() {
        outage.killed(-SECOND); // a monotonic clock may well be negative
        outage.degraded(2, SECOND);
        assertThat(outage.moments().alone()).isNull();
        outage.degraded(1, 2 * SECOND);
        outage.returned(9 * SECOND, 4711);
        outage.recovered(1, 11 * SECOND);
        assertThat(outage.moments().shared()).isNull();
        outage.recovered(2, 12 * SECOND);

        assertThat(outage.moments())
                .isEqualTo(new Outage.Moments(-SECOND, 2 * SECOND, 9 * SECOND, 11 * SECOND, 12 * SECOND));
    }

    @Test
    void whoLosesTheDatabaseAgainSharesWhenItIsBackForGood() {
        outage.killed(0);
        outage.degraded(1, SECOND);
        outage.degraded(2, SECOND);
        outage.recovered(1, 11 * SECOND);
        outage.recovered(2, 12 * SECOND);
        outage.degraded(1, 13 * SECOND);
        outage.recovered(1, 18 * SECOND);

        assertThat(outage.moments().firstBack()).isEqualTo(11 * SECOND);
        assertThat(outage.moments().shared()).isEqualTo(18 * SECOND);
    }

    @Test
    void whoLosesTheDatabaseAgainAndDoesNotFindItDoesNotShare() {
        outage.killed(0);
        outage.degraded(1, SECOND);
        outage.degraded(2, SECOND);
        outage.recovered(1, 11 * SECOND);
        outage.recovered(2, 12 * SECOND);
        outage.degraded(1, 13 * SECOND);

        assertThat(outage.moments().shared()).isNull();
    }

    @Test
    void whatAWorkerLosesBeforeIsNoOutage() {
        outage.degraded(1, 0);
        outage.degraded(2, 0);
        outage.recovered(1, SECOND);

        outage.killed(2 * SECOND);
        assertThat(outage.moments().alone()).isNull();
        outage.degraded(1, 3 * SECOND);

        assertThat(outage.moments()).isEqualTo(new Outage.Moments(2 * SECOND, 3 * SECOND, null, null, null));
    }

    @Test
    void everythingThatHappensIsSaidOnceAndTheTimeBetweenToo() {
        assertThat(outage.note(0)).isEmpty();
        outage.killed(SECOND);
        assertThat(outage.note(2 * SECOND)).isEqualTo("database killed");
        outage.degraded(1, 2 * SECOND);
        outage.degraded(2, 2 * SECOND);
        assertThat(outage.note(3 * SECOND)).isEqualTo("every worker paces alone");
        assertThat(outage.note(4 * SECOND)).isEqualTo("no database, 7.0 s left");
        assertThat(outage.note(11 * SECOND)).isEqualTo("no database, it is starting");
        outage.returned(11 * SECOND, 4711);
        assertThat(outage.note(12 * SECOND)).isEqualTo("database back, pid 4711");
        assertThat(outage.note(13 * SECOND)).isEqualTo("still alone: they ask each 5 s");
        outage.recovered(1, 13 * SECOND);
        outage.recovered(2, 13 * SECOND);
        assertThat(outage.note(14 * SECOND)).isEqualTo("all share again");
        assertThat(outage.note(15 * SECOND)).isEmpty();
    }
}
