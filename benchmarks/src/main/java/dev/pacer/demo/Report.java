package dev.pacer.demo;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** The summary, for people. */
final class Report {

    private Report() {}

    static void print(Summary summary, Plan plan, Path file) {
        Screen.line("%n@|bold Summary|@ (arrivals at the vendor, by its own monotonic clock)%n");
        count("requests sent", summary.dispatched(), "by worker: " + sum(summary.perProcess()));
        count("images fetched", summary.resources(), "of " + summary.requests());
        count("429 above the ceiling", summary.rateLimited(), plan.sharing() ? "must be 0" : "not asked again");
        count("most in any second", summary.peakInAnySecond(),
                "ceiling " + summary.ceilingPerSecond() + ", any [t, t + 1 s)");
        measure("shortest gap", summary.minGapMillis(), "ms");
        measure("first to last", summary.spanSeconds(), "s");
        measure("reservation, p50", summary.reservationP50Micros(), "µs  %.2f %% of the interval between slots",
                summary.shareOfInterval() * 100);
        measure("reservation, p99", summary.reservationP99Micros(), "µs");
        if (summary.cooldown() != null) {
            print(summary.cooldown(), plan);
        }
        Screen.line("");
        Verdict.lines(summary, plan).forEach(line -> Screen.line("%s", line));
        Screen.line("The figures: %s", file);
    }

    private static void print(CooldownSummary cooldown, Plan plan) {
        Screen.line("%n@|bold The cooldown|@ (%d s from the first 429 on)%n", cooldown.seconds());
        count("arrived by %.0f ms".formatted(cooldown.graceMillis()), cooldown.arrivedInGrace(), String.format(
                "after the first 429: %d for the notice to the others, %d for what was on its way",
                CooldownSummary.NOTICE.toMillis(), plan.latenessMillis()));
        count("arrived until its end", cooldown.arrivedInside(), "must be 0");
        if (cooldown.firstAfterMillis() != null) {
            measure("first after its end", cooldown.firstAfterMillis(), "ms");
        }
        if (cooldown.shortestGapMillis() != null) {
            measure("shortest gap after it", cooldown.shortestGapMillis(), "ms  %s", cooldown.judgesGaps()
                    ? "must be at least %.1f, the interval less %d"
                            .formatted(cooldown.leastGapMillis(), plan.latenessMillis())
                    : "not judged, the interval is shorter than a lateness of %d".formatted(plan.latenessMillis()));
            Screen.fact("", "%15s(for a while after a 429, pacer doubles the interval)", "");
        }
        List<Integer> first = cooldown.firstPerProcess();
        count("came back first", first.stream().mapToInt(Integer::intValue).sum(), "by worker: " + sum(first));
    }

    private static void count(String name, int count, String remark) {
        Screen.fact(name, "%8d    %s", count, remark);
    }

    private static void measure(String name, double value, String unit, Object... args) {
        Screen.fact(name, "%10.1f " + unit, prepend(value, args));
    }

    private static Object[] prepend(double value, Object[] args) {
        Object[] all = new Object[args.length + 1];
        all[0] = value;
        System.arraycopy(args, 0, all, 1, args.length);
        return all;
    }

    private static String sum(List<Integer> parts) {
        return parts.stream().map(String::valueOf).collect(Collectors.joining(" + "));
    }
}
