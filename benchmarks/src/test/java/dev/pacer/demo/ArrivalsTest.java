package dev.pacer.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.demo.Arrivals.Arrival;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ArrivalsTest {

    private static final long MILLI = 1_000_000;

    private final Arrivals arrivals = new Arrivals(2);

    @Test
    void aSecondIsHalfOpen() {
        assertThat(arrived(0)).isTrue();
        assertThat(arrived(1)).isTrue();
        assertThat(arrived(1_000 * MILLI)).as("the first is a second old, and out").isTrue();
        assertThat(arrived(1_000 * MILLI)).as("the second is not").isFalse();
        assertThat(arrivals.peak()).isEqualTo(3);
        assertThat(arrivals.limited()).isEqualTo(1);
    }

    @Test
    void aSecondIsNotTheCalendars() {
        arrived(900 * MILLI);
        arrived(950 * MILLI);

        assertThat(arrived(1_050 * MILLI)).isFalse();
        assertThat(arrivals.between(0, 1_000 * MILLI)).isEqualTo(2);
        assertThat(arrivals.between(1_000 * MILLI, 2_000 * MILLI)).isEqualTo(1);
    }

    @Test
    void theFiguresAreThoseOfAllArrivals() {
        arrived(100 * MILLI);
        arrived(130 * MILLI);
        arrived(2_100 * MILLI);

        assertThat(arrivals.count()).isEqualTo(3);
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
                some.arrived(new Arrival(now, 0));
            }
            assertThat(some.limited() == 0).isEqualTo(some.peak() <= rate);
        }
    }

    @Test
    void aPartOfThemHasAPeakOfItsOwn() {
        arrivals.arrived(new Arrival(-100 * MILLI, 0)); // a monotonic clock may well be negative
        arrivals.arrived(new Arrival(200 * MILLI, 1));
        arrivals.arrived(new Arrival(600 * MILLI, 1));
        arrivals.arrived(new Arrival(700 * MILLI, 0));

        assertThat(arrivals.peak()).isEqualTo(4);
        List<Arrival> part = arrivals.within(200 * MILLI, 700 * MILLI);
        assertThat(Arrivals.peak(part)).isEqualTo(2);
        assertThat(Arrivals.count(part, 1)).isEqualTo(2);
        assertThat(Arrivals.count(part, 0)).isZero();
        assertThat(arrivals.first()).isEqualTo(-100 * MILLI);
        assertThat(arrivals.last()).isEqualTo(700 * MILLI);
    }

    @Test
    void whoCameFirstFromAnInstantOnIsKnown() {
        arrivals.arrived(new Arrival(100, 0));
        arrivals.arrived(new Arrival(200, 1));
        arrivals.arrived(new Arrival(350, 2));
        arrivals.arrived(new Arrival(360, 0));

        List<Arrival> first = arrivals.from(200, 2);

        assertThat(first).containsExactly(new Arrival(200, 1), new Arrival(350, 2));
        assertThat(Arrivals.gaps(first)).containsExactly(Duration.ofNanos(150));
    }

    private boolean arrived(long at) {
        return arrivals.arrived(new Arrival(at, 0));
    }
}
