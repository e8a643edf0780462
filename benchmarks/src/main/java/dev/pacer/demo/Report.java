package dev.pacer.demo;

import java.nio.file.Path;
import java.util.stream.Collectors;

/** The summary, for people. */
final class Report {

    private Report() {}

    static void print(Summary summary, Plan plan, Path file) {
        Screen.line("%n@|bold Summary|@ (arrivals at the vendor, by its own monotonic clock)%n");
        count("requests sent", summary.dispatched(), "by worker: " + perProcess(summary));
        count("answered 429", summary.rateLimited(), "not asked again");
        count("most in any second", summary.peakInAnySecond(), "ceiling " + summary.ceilingPerSecond() + ", any [t, t + 1 s)");
        measure("shortest gap", summary.minGapMillis(), "ms");
        measure("first to last", summary.spanSeconds(), "s");
        measure("reservation, p50", summary.reservationP50Micros(), "µs  %.2f %% of the interval between slots",
                summary.shareOfInterval() * 100);
        measure("reservation, p99", summary.reservationP99Micros(), "µs");
        Screen.line("");
        verdict(summary, plan);
        Screen.line("The figures: %s", file);
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

    private static String perProcess(Summary summary) {
        return summary.perProcess().stream().map(String::valueOf).collect(Collectors.joining(" + "));
    }

    private static void verdict(Summary summary, Plan plan) {
        if (summary.held()) {
            Screen.line("@|bold,green The ceiling held:|@ never more than %d in any second, from %d processes together.",
                    summary.peakInAnySecond(), summary.processes());
        } else if (!summary.ceilingHeld()) {
            Screen.line("@|bold,red The ceiling broke:|@ %d in a second where %d are allowed; answers of 429: %d.",
                    summary.peakInAnySecond(), summary.ceilingPerSecond(), summary.rateLimited());
            Screen.line("%s", why(plan));
        } else {
            Screen.line("@|bold,red Not everything was fetched:|@ %d of %d resources, in %d requests.",
                    summary.resources(), summary.requests(), summary.dispatched());
        }
    }

    private static String why(Plan plan) {
        return plan.sharing()
                ? "The slots were far enough apart, so requests were held up on their way by more than the headroom"
                        + " allows for:%na busy machine does that. Try --headroom 0.2, and look at the shortest gap."
                                .formatted()
                : "%d processes paced themselves, each at the whole ceiling: that is what --no-pacer-sharing shows."
                        .formatted(plan.processes());
    }
}
