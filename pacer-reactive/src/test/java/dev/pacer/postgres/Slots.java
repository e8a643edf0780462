package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Where slots lie, checked. */
final class Slots {
    private Slots() {}

    /** That no two are closer together than so. */
    static void assertApart(List<Long> places, Duration interval) {
        assertThat(leastGap(places)).isGreaterThanOrEqualTo(interval.toNanos());
    }

    static long leastGap(List<Long> places) {
        List<Long> sorted = places.stream().sorted().toList();
        assertThat(sorted).hasSizeGreaterThan(1);
        long least = Long.MAX_VALUE;
        for (int i = 1; i < sorted.size(); i++) {
            least = Math.min(least, sorted.get(i) - sorted.get(i - 1));
        }
        return least;
    }

    /** How many lie in the fullest half-open window of that length. */
    static int most(List<Long> places, Duration window) {
        List<Long> sorted = new ArrayList<>(places);
        sorted.sort(null);
        int most = 0;
        for (int from = 0, to = 0; to < sorted.size(); to++) {
            while (sorted.get(to) - sorted.get(from) >= window.toNanos()) {
                from++;
            }
            most = Math.max(most, to - from + 1);
        }
        return most;
    }

    static long span(List<Long> places) {
        return places.stream().mapToLong(Long::longValue).max().orElseThrow()
                - places.stream().mapToLong(Long::longValue).min().orElseThrow();
    }
}
