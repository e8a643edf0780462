package dev.pacer.demo;

import dev.pacer.Pace;
import org.jspecify.annotations.Nullable;

/**
 * What is to be run.
 *
 * @param rate how many requests the vendor takes in any second, from all processes together
 * @param headroom the part of it that stays unused
 * @param processes how many workers
 * @param requests how many resources there are to fetch, by all workers together
 * @param reservations how many reservations each worker times
 * @param sharing whether the workers share a cursor, or each paces by itself
 * @param database the user's PostgreSQL, or null for one of the demo's own
 */
record Plan(
        int rate,
        double headroom,
        int processes,
        int requests,
        int reservations,
        boolean sharing,
        @Nullable String database) {

    Pace pace() {
        return Pace.perSecond(rate).headroom(headroom);
    }
}
