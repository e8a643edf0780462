package dev.pacer.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ArrivalsTest {

    private static final long MILLI = 1_000_000;

    private final Arrivals arrivals = new Arrivals(2);

    @Test
    void aSecondIsHalfOpen() {
        assertThat(arrivals.arrived("a", 0)).isTrue();
        assertThat(arrivals.arrived("b", 1)).isTrue();
        assertThat(arrivals.arrived("c", 1_000 * MILLI)).as("the first is a second old, and out").isTrue();
        assertThat(arrivals.arrived("d", 1_000 * MILLI)).as("the second is not").isFalse();
        assertThat(arrivals.peak()).isEqualTo(3);
        assertThat(arrivals.limited()).isEqualTo(1);
    }

    @Test
    void aSecondIsNotTheCalendars() {
        arrivals.arrived("a", 900 * MILLI);
        arrivals.arrived("b", 950 * MILLI);

        assertThat(arrivals.arrived("c", 1_050 * MILLI)).isFalse();
        assertThat(arrivals.between(0, 1_000 * MILLI)).isEqualTo(2);
        assertThat(arrivals.between(1_000 * MILLI, 2_000 * MILLI)).isEqualTo(1);
    }

    @Test
    void theFiguresAreThoseOfAllArrivals() {
        arrivals.arrived("a", 100 * MILLI);
        arrivals.arrived("a", 130 * MILLI);
        arrivals.arrived("b", 2_100 * MILLI);

        assertThat(arrivals.count()).isEqualTo(3);
        assertThat(arrivals.resources()).isEqualTo(2);
        assertThat(arrivals.minGap()).isEqualTo(Duration.ofMillis(30));
        assertThat(arrivals.span()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void nobodyIsLimitedExactlyWhenThePeakIsWithinTheRate() {
        Random random = new Random(1);
        for (int run = 0; run < 1_000; run++) {
            int rate = 1 + random.nextInt(5);
            Arrivals some = new Arrivals(rate);
            long now = -1_000 * MILLI; // a monotonic clock may well be negative
            for (int i = 0; i < 20; i++) {
                now += random.nextInt(1_500) * MILLI / rate;
                some.arrived("r", now);
            }
            assertThat(some.limited() == 0).isEqualTo(some.peak() <= rate);
        }
    }
}
