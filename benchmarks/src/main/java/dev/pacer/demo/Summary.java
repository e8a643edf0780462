package dev.pacer.demo;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What a run came to. All about arrivals is the vendor's, by its one clock.
 *
 * @param sharing whether the workers shared a cursor
 * @param requests how many resources there were to fetch
 * @param resources how many different ones the vendor served
 * @param dispatched how many requests reached the vendor
 * @param refused how many of them it answered 429, for whatever reason
 * @param rateLimited how many were above its ceiling
 * @param peakInAnySecond the most that arrived in any half-open window of a second
 * @param minGapMillis the shortest time between two arrivals
 * @param spanSeconds from the first arrival to the last
 * @param perProcess how many requests each worker says it sent
 * @param shareOfInterval the reservation's median, as a part of the interval between slots
 * @param cooldown how the fleet took the vendor's cooldown; null if there was none
 * @param outage what became of the rate without the database; null if it stayed
 */
record Summary(
        int processes,
        int ceilingPerSecond,
        double headroom,
        boolean sharing,
        int requests,
        int resources,
        int dispatched,
        int refused,
        int rateLimited,
        int peakInAnySecond,
        double minGapMillis,
        double spanSeconds,
        List<Integer> perProcess,
        double reservationP50Micros,
        double reservationP99Micros,
        double shareOfInterval,
        @Nullable CooldownSummary cooldown,
        @Nullable OutageSummary outage) {

    static Summary of(Cast cast, Histogram latency) {
        Plan plan = cast.plan();
        Vendor vendor = cast.vendor();
        Outage outage = cast.outage();
        Arrivals arrivals = vendor.arrivals();
        Cooldown cooldown = vendor.cooldown();
        Duration interval = plan.pace().interval();
        double p50 = latency.getValueAtPercentile(50);
        return new Summary(
                plan.processes(),
                plan.rate(),
                plan.headroom(),
                plan.sharing(),
                plan.requests(),
                vendor.served(),
                arrivals.count(),
                vendor.refused(),
                arrivals.limited(),
                arrivals.peak(),
                rounded(arrivals.minGap().toNanos() / 1e6),
                rounded(arrivals.span().toNanos() / 1e9),
                cast.workers().stream().map(WorkerProcess::sent).toList(),
                rounded(p50 / 1e3),
                rounded(latency.getValueAtPercentile(99) / 1e3),
                p50 / interval.toNanos(),
                cooldown == null ? null : CooldownSummary.of(plan, cooldown, arrivals),
                outage == null ? null : OutageSummary.of(plan, outage.moments(), arrivals));
    }

    static double rounded(double value) {
        return Math.round(value * 1_000) / 1_000.0;
    }

    /** Whether the ceiling held, nothing was left out, the cooldown was kept and the outage bridged. */
    @JsonProperty
    boolean held() {
        return ceilingHeld() && complete() && obeyed() && spaced() && bridged();
    }

    /** While there is no database, something else holds. */
    boolean ceilingHeld() {
        return outage == null ? rateLimited == 0 && peakInAnySecond <= ceilingPerSecond : outage.ceilingHeld();
    }

    boolean complete() {
        return resources == requests && dispatched - refused == requests;
    }

    boolean obeyed() {
        return cooldown == null || cooldown.obeyed();
    }

    boolean spaced() {
        return cooldown == null || cooldown.spaced();
    }

    boolean bridged() {
        return outage == null || (outage.cameBack() && outage.boundHeld());
    }

    /** So that nobody takes an earlier run's summary for this one's. */
    static void delete(Path file) throws IOException {
        Files.deleteIfExists(file);
    }

    void write(Path file) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build().writeValue(file.toFile(), this);
    }
}
