package dev.pacer.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * When requests reached the vendor, all by one monotonic clock. A second is any half-open window {@code [t, t + 1 s)},
 * not one of the calendar's. Thread-safe.
 */
final class Arrivals {

    /**
     * One of them.
     *
     * @param at by {@link System#nanoTime}
     * @param worker who sent it, from 0
     */
    record Arrival(long at, int worker) {}

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final int rate;
    private final List<Arrival> all = new ArrayList<>();
    private int windowStart;
    private int limited;

    Arrivals(int rate) {
        this.rate = rate;
    }

    /** Counts one in; false if it is one too many for the second that ends with it. Not earlier than the one before. */
    synchronized boolean arrived(Arrival arrival) {
        all.add(arrival);
        while (arrival.at() - at(windowStart) >= SECOND) {
            windowStart++;
        }
        boolean within = all.size() - windowStart <= rate;
        if (!within) {
            limited++;
        }
        return within;
    }

    private long at(int index) {
        return all.get(index).at();
    }

    synchronized int count() {
        return all.size();
    }

    /** How many were one too many. */
    synchronized int limited() {
        return limited;
    }

    /** How many arrived from one instant until before another. */
    synchronized int between(long from, long to) {
        int found = 0;
        for (int i = all.size() - 1; i >= 0 && at(i) - from >= 0; i--) {
            found += at(i) - to < 0 ? 1 : 0;
        }
        return found;
    }

    /** Those that arrived from one instant until before another. */
    synchronized List<Arrival> within(long from, long to) {
        return all.stream().filter(arrival -> arrival.at() - from >= 0 && arrival.at() - to < 0).toList();
    }

    /** When the first came; there must be one. */
    synchronized long first() {
        return at(0);
    }

    /** When the last came; there must be one. */
    synchronized long last() {
        return at(all.size() - 1);
    }

    /** The first so many that arrived from an instant on. */
    synchronized List<Arrival> from(long instant, int most) {
        return all.stream().filter(arrival -> arrival.at() - instant >= 0).limit(most).toList();
    }

    /** The most that arrived in any second. */
    synchronized int peak() {
        return peak(all);
    }

    /** The most of these in any second. */
    static int peak(List<Arrival> arrivals) {
        int most = 0;
        int start = 0;
        for (int i = 0; i < arrivals.size(); i++) {
            while (arrivals.get(i).at() - arrivals.get(start).at() >= SECOND) {
                start++;
            }
            most = Math.max(most, i - start + 1);
        }
        return most;
    }

    /** The shortest time between one arrival and the next; zero if there are fewer than two. */
    synchronized Duration minGap() {
        return gaps(all).stream().min(Duration::compareTo).orElse(Duration.ZERO);
    }

    /** How many of these a worker sent. */
    static int count(List<Arrival> arrivals, int worker) {
        return (int) arrivals.stream().filter(arrival -> arrival.worker() == worker).count();
    }

    /** The times between each and the next. */
    static List<Duration> gaps(List<Arrival> arrivals) {
        List<Duration> gaps = new ArrayList<>();
        for (int i = 1; i < arrivals.size(); i++) {
            gaps.add(Duration.ofNanos(arrivals.get(i).at() - arrivals.get(i - 1).at()));
        }
        return gaps;
    }

    /** From the first arrival to the last. */
    synchronized Duration span() {
        return all.isEmpty() ? Duration.ZERO : Duration.ofNanos(at(all.size() - 1) - at(0));
    }
}
