package dev.pacer.demo;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * When requests reached the vendor, all by one monotonic clock. A second is any half-open window {@code [t, t + 1 s)},
 * not one of the calendar's. Thread-safe.
 */
final class Arrivals {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final int rate;
    private final Set<String> resources = new HashSet<>();
    private long[] at = new long[64];
    private int count;
    private int windowStart;
    private int limited;

    Arrivals(int rate) {
        this.rate = rate;
    }

    /** Counts one in; false if it is one too many for the second that ends with it. */
    synchronized boolean arrived(String resource) {
        return arrived(resource, System.nanoTime());
    }

    synchronized boolean arrived(String resource, long now) {
        if (count == at.length) {
            at = Arrays.copyOf(at, 2 * count);
        }
        at[count++] = now;
        resources.add(resource);
        while (now - at[windowStart] >= SECOND) {
            windowStart++;
        }
        boolean within = count - windowStart <= rate;
        if (!within) {
            limited++;
        }
        return within;
    }

    synchronized int count() {
        return count;
    }

    /** How many different resources were asked for. */
    synchronized int resources() {
        return resources.size();
    }

    synchronized int limited() {
        return limited;
    }

    /** How many arrived from one instant until before another. */
    synchronized int between(long from, long to) {
        int found = 0;
        for (int i = count - 1; i >= 0 && at[i] - from >= 0; i--) {
            found += at[i] - to < 0 ? 1 : 0;
        }
        return found;
    }

    /** The most that arrived in any second. */
    synchronized int peak() {
        int most = 0;
        int start = 0;
        for (int i = 0; i < count; i++) {
            while (at[i] - at[start] >= SECOND) {
                start++;
            }
            most = Math.max(most, i - start + 1);
        }
        return most;
    }

    /** The shortest time between one arrival and the next; zero if there are fewer than two. */
    synchronized Duration minGap() {
        long least = Long.MAX_VALUE;
        for (int i = 1; i < count; i++) {
            least = Math.min(least, at[i] - at[i - 1]);
        }
        return count < 2 ? Duration.ZERO : Duration.ofNanos(least);
    }

    /** From the first arrival to the last. */
    synchronized Duration span() {
        return count == 0 ? Duration.ZERO : Duration.ofNanos(at[count - 1] - at[0]);
    }
}
