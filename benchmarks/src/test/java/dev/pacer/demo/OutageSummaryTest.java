package dev.pacer.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.demo.Arrivals.Arrival;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Two workers at 10/s without headroom: slots are 100 ms apart, those of one that is alone 200 ms, and may be 50 ms late.
 * What was reserved before is used up after 200 ms.
 */
class OutageSummaryTest {

    private static final long MILLI = 1_000_000;
    private static final long KILLED = 5_000 * MILLI;
    private static final long ALONE = 5_300 * MILLI;
    private static final long RETURNED = 12_000 * MILLI;
    private static final long FIRST_BACK = 14_000 * MILLI;
    private static final long SHARED = 14_500 * MILLI;
    private static final Outage.Moments MOMENTS = new Outage.Moments(KILLED, ALONE, RETURNED, FIRST_BACK, SHARED);
    private static final Plan PLAN = new Plan(
            10, /* headroom= */ 0, /* processes= */ 2, 100, 0, /* outageSeconds= */ 7, /* latenessMillis= */ 50, 1,
            /* sharing= */ true, null);

    private final List<Arrival> arrivals = new ArrayList<>();

    @Test
    void aRunAsItShouldBeKeepsEverything() {
        asItShouldBe();

        OutageSummary summary = summary(MOMENTS);
        assertThat(summary.seconds()).isEqualTo(7);
        assertThat(summary.aloneAfterSeconds()).isEqualTo(0.3);
        assertThat(summary.sharedAfterSeconds()).isEqualTo(2.5);
        assertThat(summary.before()).isEqualTo(new OutageSummary.Phase(5, 50, List.of(25, 25), 10, 10));
        assertThat(summary.before().perSecond()).isEqualTo(10);
        assertThat(summary.during().seconds()).as("from 5.5 s to 13.95 s").isEqualTo(8.45);
        assertThat(summary.during().arrivals()).isEqualTo(85);
        assertThat(summary.during().perSecond()).as("a part of an interval holds a whole slot").isEqualTo(10.059);
        assertThat(summary.during().perWorkerAndSecond()).containsExactly(4.97, 5.089);
        assertThat(summary.during().allowedPeak()).as("2 × ⌈1.05 s / 200 ms⌉").isEqualTo(12);
        assertThat(summary.allowedPerWorker()).as("⌈8.5 s / 200 ms⌉").isEqualTo(43);
        assertThat(summary.allowedAtSeams()).as("⌈1.05 s / 100 ms⌉ more").isEqualTo(12 + 11);
        assertThat(summary.after().perWorker()).containsExactly(26, 27);
        assertThat(summary.cameBack()).isTrue();
        assertThat(summary.ceilingHeld()).isTrue();
        assertThat(summary.boundHeld()).isTrue();
    }

    @Test
    void oneTooManyBeforeBreaksTheCeiling() {
        asItShouldBe();
        arrived(2_050, 0);

        assertThat(summary(MOMENTS).before().peak()).isEqualTo(11);
        assertThat(summary(MOMENTS).ceilingHeld()).isFalse();
        assertThat(summary(MOMENTS).boundHeld()).isTrue();
    }

    @Test
    void oneTooManyAfterBreaksTheCeiling() {
        asItShouldBe();
        arrived(16_050, 0);

        assertThat(summary(MOMENTS).after().peak()).isEqualTo(11);
        assertThat(summary(MOMENTS).ceilingHeld()).isFalse();
    }

    @Test
    void inASecondOfTheOutageTheBoundCountsAndNotTheCeiling() {
        asItShouldBe();
        arrived(9_010, 0);
        arrived(9_020, 1);
        assertThat(summary(MOMENTS).during().peak()).isEqualTo(12);
        assertThat(summary(MOMENTS).during().kept()).isTrue();

        arrived(9_030, 1);
        assertThat(summary(MOMENTS).during().peak()).isEqualTo(13);
        assertThat(summary(MOMENTS).boundHeld()).isFalse();
    }

    @Test
    void aWorkerThatTakesMoreThanItsShareIsNoticedThoughTheOthersTakeLess() {
        for (long at = 0; at < 20_000; at += 100) {
            arrived(at, 0);
        }
        arrived(20_000, 1);

        OutageSummary summary = summary(MOMENTS);
        assertThat(summary.during().peak()).isEqualTo(10);
        assertThat(summary.during().perWorker()).containsExactly(85, 0);
        assertThat(summary.sharesKept()).isFalse();
        assertThat(summary.boundHeld()).isFalse();
    }

    @Test
    void theSeamsHaveABoundOfTheirOwn() {
        asItShouldBe();
        for (int i = 0; i < 13; i++) {
            arrived(5_320 + i, 1);
        }
        assertThat(summary(MOMENTS).peakAtSeams()).isEqualTo(23);
        assertThat(summary(MOMENTS).boundHeld()).isTrue();

        arrived(5_350, 1);
        assertThat(summary(MOMENTS).peakAtSeams()).isEqualTo(24);
        assertThat(summary(MOMENTS).boundHeld()).isFalse();
        assertThat(summary(MOMENTS).ceilingHeld()).as("before and after it did").isTrue();
        assertThat(summary(MOMENTS).sharesKept()).isTrue();
    }

    @Test
    void theSeamOfTheReturnCountsToo() {
        asItShouldBe();
        for (int i = 0; i < 14; i++) {
            arrived(14_320 + i, 1);
        }
        assertThat(summary(MOMENTS).peakAtSeams()).isEqualTo(24);
        assertThat(summary(MOMENTS).boundHeld()).isFalse();
    }

    @Test
    void whoNeverNoticesOrNeverSharesAgainHasNotComeBack() {
        asItShouldBe();

        assertThat(summary(new Outage.Moments(KILLED, null, RETURNED, null, null)).cameBack()).isFalse();
        assertThat(summary(new Outage.Moments(KILLED, ALONE, RETURNED, FIRST_BACK, null)).cameBack()).isFalse();
        assertThat(summary(new Outage.Moments(KILLED, ALONE, null, null, null)).cameBack()).isFalse();
    }

    @Test
    void aRunThatEndsBeforeTheyShareAgainShowsNothing() {
        for (long at = 0; at < 14_600; at += 100) {
            arrived(at, 0);
        }
        assertThat(summary(MOMENTS).after().arrivals()).isZero();
        assertThat(summary(MOMENTS).cameBack()).isFalse();
    }

    @Test
    void aRunWithoutAnOutageIsAllBefore() {
        asItShouldBe();

        OutageSummary summary = summary(new Outage.Moments(null, null, null, null, null));
        assertThat(summary.before().arrivals()).isEqualTo(200);
        assertThat(summary.cameBack()).isFalse();
    }

    /** 20 s of both in turns. */
    private void asItShouldBe() {
        for (int i = 0; i < 200; i++) {
            arrived(100L * i, i % 2);
        }
    }

    private void arrived(long atMillis, int worker) {
        arrivals.add(new Arrival(atMillis * MILLI, worker));
    }

    private OutageSummary summary(Outage.Moments moments) {
        Arrivals all = new Arrivals(10);
        arrivals.stream().sorted(Comparator.comparingLong(Arrival::at)).forEach(all::arrived);
        return OutageSummary.of(PLAN, moments, all);
    }
}
