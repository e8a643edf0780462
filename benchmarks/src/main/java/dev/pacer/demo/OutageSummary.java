package dev.pacer.demo;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.pacer.demo.Arrivals.Arrival;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What arrived before the outage, during and after it, and what may.
 *
 * <p>Before and after, the ceiling holds. During, each of n workers paces alone at its n-th of the pace: in a time of
 * length W, at most {@code ⌈W / nT⌉} of each arrive, T being the interval between slots. On average that is the pace; but
 * they do not take turns, so that in a single second it may be more than the ceiling, and the vendor then answers 429
 * as ever. In between, at the seams, some may share the whole pace while others have their n-th beside it; and what was
 * reserved before is still under way. W is lengthened by the lateness. All is counted, because the rate of a short time
 * says little: it may begin and end with a slot.
 *
 * @param seconds how long the database was away
 * @param aloneAfterSeconds how long after its end every worker paced alone; null if that never was
 * @param sharedAfterSeconds how long after its return all shared again; null if they did not
 * @param during while everybody paced alone
 * @param allowedPerWorker how many arrivals of each worker the documented bound allows during it
 * @param peakAtSeams the most in any second that touches one of the two seams
 * @param allowedAtSeams what the documented bound allows there
 */
record OutageSummary(
        double seconds,
        @Nullable Double aloneAfterSeconds,
        @Nullable Double sharedAfterSeconds,
        Phase before,
        Phase during,
        Phase after,
        int allowedPerWorker,
        int peakAtSeams,
        int allowedAtSeams) {

    /** A lane takes slots for so long ahead. */
    private static final Duration QUANTUM = Duration.ofMillis(100);

    private static final Duration SECOND = Duration.ofSeconds(1);

    /**
     * A part of the run.
     *
     * @param arrivals how many there were
     * @param perWorker by whom
     * @param peak the most in any second of it
     * @param allowedPeak what may be at most
     */
    record Phase(double seconds, int arrivals, List<Integer> perWorker, int peak, int allowedPeak) {

        @JsonProperty
        double perSecond() {
            return perSecond(arrivals);
        }

        @JsonProperty
        List<Double> perWorkerAndSecond() {
            return perWorker.stream().map(this::perSecond).toList();
        }

        private double perSecond(int count) {
            return seconds <= 0 ? 0 : Summary.rounded(count / seconds);
        }

        boolean kept() {
            return peak <= allowedPeak;
        }
    }

    static OutageSummary of(Plan plan, Outage.Moments moments, Arrivals arrivals) {
        return new Judge(plan, moments, arrivals).summary();
    }

    /** Whether all noticed the end of the database and its return, and there is something to see of the time after. */
    @JsonProperty
    boolean cameBack() {
        return aloneAfterSeconds != null && sharedAfterSeconds != null && during.arrivals > 0 && after.arrivals > 0;
    }

    /** Whether the vendor's ceiling held while they shared. */
    @JsonProperty
    boolean ceilingHeld() {
        return before.kept() && after.kept();
    }

    /** Whether the documented bound held while they did not. */
    @JsonProperty
    boolean boundHeld() {
        return during.kept() && sharesKept() && peakAtSeams <= allowedAtSeams;
    }

    boolean sharesKept() {
        return during.perWorker.stream().allMatch(count -> count <= allowedPerWorker);
    }

    /** Cuts a run in pieces. */
    private record Judge(Plan plan, Outage.Moments moments, Arrivals arrivals) {

        OutageSummary summary() {
            long start = arrivals.first();
            long end = arrivals.last() + 1;
            long killed = orElse(moments.killed(), end);
            long alone = orElse(moments.alone(), end) + settled();
            // what they say comes a moment late
            long firstBack = Math.max(alone, orElse(moments.firstBack(), end) - plan.lateness().toNanos());
            long shared = Math.max(firstBack, orElse(moments.shared(), end)) + settled();
            int togetherInASecond = plan.processes() * allowedAlone(SECOND);
            return new OutageSummary(
                    seconds(killed, orElse(moments.returned(), end)),
                    moments.alone() == null ? null : seconds(killed, moments.alone()),
                    sharedAfter(),
                    phase(start, killed, plan.rate()),
                    phase(alone, firstBack, togetherInASecond),
                    phase(shared, end, plan.rate()),
                    allowedAlone(Duration.ofNanos(firstBack - alone)),
                    Math.max(seam(killed, alone), seam(firstBack, shared)),
                    togetherInASecond + allowed(SECOND, /* sharers= */ 1));
        }

        private @Nullable Double sharedAfter() {
            Long shared = moments.shared();
            Long returned = moments.returned();
            return shared == null || returned == null ? null : Math.max(0, seconds(returned, shared));
        }

        /** The most in any second that touches this time. */
        private int seam(long from, long to) {
            return Arrivals.peak(arrivals.within(from - SECOND.toNanos(), to + SECOND.toNanos()));
        }

        private Phase phase(long from, long to, int allowedPeak) {
            List<Arrival> those = arrivals.within(from, to);
            return new Phase(
                    Math.max(0, seconds(from, to)),
                    those.size(),
                    IntStream.range(0, plan.processes()).map(worker -> Arrivals.count(those, worker)).boxed().toList(),
                    Arrivals.peak(those),
                    allowedPeak);
        }

        /** Until then, slots are used up that were reserved while it was otherwise. */
        private long settled() {
            Duration interval = plan.pace().interval();
            return plan.processes() * Math.max(interval.toNanos(), QUANTUM.toNanos());
        }

        private int allowedAlone(Duration time) {
            return allowed(time, plan.processes());
        }

        /** How many slots of one of so many there are in any such time, and in the lateness. */
        private int allowed(Duration time, int sharers) {
            long interval = plan.pace().interval().toNanos() * sharers;
            long within = time.plus(plan.lateness()).toNanos();
            return (int) ((within + interval - 1) / interval);
        }

        private static long orElse(@Nullable Long moment, long other) {
            return moment == null ? other : moment;
        }

        private static double seconds(long from, long to) {
            return Summary.rounded((to - from) / 1e9);
        }
    }
}
