package dev.pacer.demo;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.pacer.demo.Arrivals.Arrival;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How the fleet obeyed the vendor's cooldown, and how it came back.
 *
 * <p>The grace is what no other process can be blamed for: the {@link #NOTICE} that it may have to wait for, and the
 * lateness of a request that was released before that: its way, and the way of the answer that began it all. The same
 * lateness is what two requests may be closer together than their slots: the first late, the second on time.
 *
 * @param seconds how long it was
 * @param graceMillis how long after its start nothing is held against anybody
 * @param arrivedInGrace how many arrived until then, not counting the one that was told first
 * @param arrivedInside how many arrived later, and before its end
 * @param firstAfterMillis how long after its end the next one arrived; null if none did
 * @param gapsMillis the times between the first arrivals after it
 * @param shortestGapMillis the shortest of them; null if there are none
 * @param leastGapMillis what they must not be shorter than: the interval between slots less the lateness; 0 if that is
 *     longer, so that gaps show nothing
 * @param firstPerProcess how many of these arrivals each worker sent
 */
record CooldownSummary(
        int seconds,
        double graceMillis,
        int arrivedInGrace,
        int arrivedInside,
        @Nullable Double firstAfterMillis,
        List<Double> gapsMillis,
        @Nullable Double shortestGapMillis,
        double leastGapMillis,
        List<Integer> firstPerProcess) {

    /** Within it a notice reaches the other processes. */
    static final Duration NOTICE = Duration.ofMillis(50);

    /** So many arrivals show whether they come back one by one. */
    static final int FIRST = 10;

    static CooldownSummary of(Plan plan, Cooldown cooldown, Arrivals arrivals) {
        Duration grace = NOTICE.plus(plan.lateness());
        long blamed = Math.min(cooldown.start() + grace.toNanos() + 1, cooldown.end());
        List<Arrival> first = arrivals.from(cooldown.end(), FIRST);
        List<Double> gaps = Arrivals.gaps(first).stream().map(CooldownSummary::millis).toList();
        return new CooldownSummary(
                plan.cooldownSeconds(),
                millis(grace),
                arrivals.between(cooldown.start() + 1, blamed),
                arrivals.between(blamed, cooldown.end()),
                first.isEmpty() ? null : millis(Duration.ofNanos(first.get(0).at() - cooldown.end())),
                gaps,
                gaps.stream().min(Double::compare).orElse(null),
                Math.max(0, millis(plan.pace().interval().minus(plan.lateness()))),
                IntStream.range(0, plan.processes()).map(worker -> Arrivals.count(first, worker)).boxed().toList());
    }

    private static double millis(Duration duration) {
        return Summary.rounded(duration.toNanos() / 1e6);
    }

    /** Whether nothing arrived that must not. */
    @JsonProperty
    boolean obeyed() {
        return arrivedInside == 0;
    }

    /** Whether the interval is long enough for a gap to show anything. */
    boolean judgesGaps() {
        return leastGapMillis > 0;
    }

    /** Whether they came back one by one, as far as can be judged. */
    @JsonProperty
    boolean spaced() {
        return shortestGapMillis == null || shortestGapMillis >= leastGapMillis;
    }
}
