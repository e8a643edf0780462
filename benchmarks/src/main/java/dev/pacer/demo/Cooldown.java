package dev.pacer.demo;

import java.time.Duration;
import java.util.Locale;

/**
 * The vendor's decision, taken once in the middle of a run, to stop everybody for a while: {@code [start, start +
 * length)}, in which it answers 429 to whatever arrives. Instants are {@link System#nanoTime}'s. Thread-safe.
 */
final class Cooldown {

    private static final double SECOND = Duration.ofSeconds(1).toNanos();

    private final long length;
    private final int after;
    private boolean begun;
    private long start;

    /**
     * @param length how long nothing may arrive
     * @param after how many requests are served before; the next one is the first to be told
     */
    Cooldown(Duration length, int after) {
        this.length = length.toNanos();
        this.after = after;
    }

    /** The cooldown of this plan; it stops the first request of the second half. */
    static Cooldown of(Plan plan) {
        return new Cooldown(plan.cooldown(), plan.requests() / 2);
    }

    /** What the arrival with this number, from 0, is told: how long to stay away; zero if it is served. */
    synchronized Duration told(int number, long now) {
        if (!begun && number >= after) {
            begun = true;
            start = now;
        }
        return begun && now - end() < 0 ? Duration.ofNanos(end() - now) : Duration.ZERO;
    }

    /** When the first was told. */
    synchronized long start() {
        return start;
    }

    /** When the next may arrive. */
    synchronized long end() {
        return start + length;
    }

    synchronized boolean hasBegun() {
        return begun;
    }

    /** What there is to say about it at the end of a second of the run; empty if it was not in it. */
    synchronized String note(long from, long to) {
        if (!begun || start - to >= 0 || end() - from <= 0) {
            return "";
        }
        if (end() - to <= 0) {
            return "the cooldown is over";
        }
        return start - from >= 0
                ? String.format(Locale.ROOT, "the vendor says: Retry-After: %.0f", length / SECOND)
                : String.format(Locale.ROOT, "cooldown, %.1f s left", (end() - to) / SECOND);
    }
}
