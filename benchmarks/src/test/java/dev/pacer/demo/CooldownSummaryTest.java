package dev.pacer.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.demo.Arrivals.Arrival;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A cooldown of 1 s that begins at 10 s, and a grace of 100 ms. Slots are 100 ms apart, and may be 50 ms late. */
class CooldownSummaryTest {

    private static final long MILLI = 1_000_000;
    private static final long START = 10_000 * MILLI;
    private static final long END = 11_000 * MILLI;
    private static final Plan PLAN = new Plan(
            10, /* headroom= */ 0, /* processes= */ 3, 100, /* cooldownSeconds= */ 1, /* outageSeconds= */ 0,
            /* latenessMillis= */ 50, 1, /* sharing= */ true, null);

    private final Arrivals arrivals = new Arrivals(10);
    private final Cooldown cooldown = new Cooldown(Duration.ofSeconds(1), 0);

    @Test
    void whoIsToldFirstIsNotBlamed() {
        arrived(START - 1, 0);
        arrived(START, 0);
        arrived(END, 0);

        assertThat(summary().arrivedInGrace()).isZero();
        assertThat(summary().arrivedInside()).isZero();
        assertThat(summary().obeyed()).isTrue();
    }

    @Test
    void theGraceIsFiftyForTheNoticeAndTheLateness() {
        arrived(START, 0);
        arrived(START + 1, 1);
        arrived(START + 100 * MILLI, 2);

        assertThat(summary().graceMillis()).isEqualTo(100);
        assertThat(summary().arrivedInGrace()).isEqualTo(2);
        assertThat(summary().obeyed()).isTrue();
    }

    @Test
    void whoeverArrivesAfterTheGraceHasNotObeyed() {
        arrived(START, 0);
        arrived(START + 100 * MILLI + 1, 1);

        assertThat(summary().arrivedInGrace()).isZero();
        assertThat(summary().arrivedInside()).isEqualTo(1);
        assertThat(summary().obeyed()).isFalse();
    }

    @Test
    void whoeverArrivesJustBeforeTheEndHasNotObeyed() {
        arrived(START, 0);
        arrived(END - 1, 1);

        assertThat(summary().obeyed()).isFalse();
        assertThat(summary().firstAfterMillis()).isNull();
    }

    @Test
    void theFirstTenShowHowTheyCameBack() {
        arrived(START, 0);
        for (int i = 0; i < 12; i++) {
            arrived(END + (20 + 100 * i) * MILLI, i % 4 % 3);
        }

        CooldownSummary summary = summary();
        assertThat(summary.firstAfterMillis()).isEqualTo(20);
        assertThat(summary.gapsMillis()).hasSize(9).containsOnly(100.0);
        assertThat(summary.shortestGapMillis()).isEqualTo(100);
        assertThat(summary.firstPerProcess()).containsExactly(5, 3, 2);
        assertThat(summary.spaced()).isTrue();
    }

    @Test
    void twoMayBeCloserThanTheirSlotsByTheLatenessOfTheFirst() {
        arrived(END + 50 * MILLI, 0);
        arrived(END + 100 * MILLI, 1);

        assertThat(summary().leastGapMillis()).isEqualTo(50);
        assertThat(summary().spaced()).isTrue();
    }

    @Test
    void aHerdIsNotSpaced() {
        arrived(END + 200 * MILLI, 0);
        arrived(END + 249 * MILLI, 1);
        arrived(END + 400 * MILLI, 2);

        assertThat(summary().shortestGapMillis()).isEqualTo(49);
        assertThat(summary().spaced()).isFalse();
    }

    @Test
    void nobodyIsTooCloseToNobody() {
        arrived(END, 2);

        assertThat(summary().shortestGapMillis()).isNull();
        assertThat(summary().spaced()).isTrue();
        assertThat(summary().firstPerProcess()).containsExactly(0, 0, 1);
    }

    private void arrived(long at, int worker) {
        arrivals.arrived(new Arrival(at, worker));
    }

    private CooldownSummary summary() {
        cooldown.told(0, START);
        return CooldownSummary.of(PLAN, cooldown, arrivals);
    }
}
