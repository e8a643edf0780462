package dev.pacer.demo;

import dev.pacer.Pace;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What is to be run.
 *
 * @param rate how many requests the vendor takes in any second, from all processes together
 * @param headroom the part of it that stays unused
 * @param processes how many workers
 * @param requests how many resources there are to fetch, by all workers together
 * @param cooldownSeconds for how long the vendor stops everybody in the middle of the run; 0 if it does not
 * @param outageSeconds for how long the database is away in the middle of the run; 0 if it stays
 * @param latenessMillis how much later than its slot a request may arrive without anybody having done wrong
 * @param reservations how many reservations each worker times
 * @param sharing whether the workers share a cursor, or each paces by itself
 * @param database the user's PostgreSQL, or null for one of the demo's own
 */
record Plan(
        int rate,
        double headroom,
        int processes,
        int requests,
        int cooldownSeconds,
        int outageSeconds,
        int latenessMillis,
        int reservations,
        boolean sharing,
        @Nullable String database) {

    Pace pace() {
        return Pace.perSecond(rate).headroom(headroom);
    }

    Duration cooldown() {
        return Duration.ofSeconds(cooldownSeconds);
    }

    Duration outage() {
        return Duration.ofSeconds(outageSeconds);
    }

    Duration lateness() {
        return Duration.ofMillis(latenessMillis);
    }
}
