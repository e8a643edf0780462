package dev.pacer.demo;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The summary, for people. */
final class Report {

    private Report() {}

    static void print(Summary summary, Plan plan, Path file) {
        Screen.line("%n@|bold Summary|@ (arrivals at the vendor, by its own monotonic clock)%n");
        count("requests sent", summary.dispatched(), "by worker: " + sum(summary.perProcess()));
        count("images fetched", summary.resources(), "of " + summary.requests());
        count("429 above the ceiling", summary.rateLimited(), remarkOn429s(summary));
        count("most in any second", summary.peakInAnySecond(), "ceiling " + summary.ceilingPerSecond()
                + ", any [t, t + 1 s)" + (summary.outage() == null ? "" : ", but see below"));
        measure("shortest gap", summary.minGapMillis(), "ms");
        measure("first to last", summary.spanSeconds(), "s");
        measure("reservation, p50", summary.reservationP50Micros(), "µs  %.2f %% of the interval between slots",
                summary.shareOfInterval() * 100);
        measure("reservation, p99", summary.reservationP99Micros(), "µs");
        if (summary.cooldown() != null) {
            print(summary.cooldown(), plan);
        }
        if (summary.outage() != null) {
            print(summary.outage(), plan);
        }
        Screen.line("");
        Verdict.lines(summary, plan).forEach(line -> Screen.line("%s", line));
        Screen.line("The figures: %s", file);
    }

    private static String remarkOn429s(Summary summary) {
        if (summary.outage() != null) {
            return "sent again; none may be from before the outage or after it";
        }
        return summary.sharing() ? "must be 0" : "not asked again";
    }

    private static void print(OutageSummary outage, Plan plan) {
        Screen.line("%n@|bold The outage|@ (the database was away for %.1f s)%n", outage.seconds());
        Double alone = outage.aloneAfterSeconds();
        measure("every worker alone", alone == null ? null : alone * 1_000, "ms after the database was killed");
        measure("all sharing again", outage.sharedAfterSeconds(), "s after it was back; they ask each %d s",
                Client.FALLBACK.latch().toSeconds());
        Screen.line("%n  @|bold %-22s%10s%8s%14s    by worker|@", "", "seconds", "rate", "in a second");
        phase("before", outage.before());
        phase("each worker alone", outage.during());
        phase("after", outage.after());
        Screen.line("  %-40s%14s", "at the seams between", of(outage.peakAtSeams(), outage.allowedAtSeams()));
        double part = (double) plan.rate() / plan.processes();
        Screen.line("%n  Alone, each paces itself at %.2f/s, where its part of the ceiling is %.2f/s: in those %.1f s at most %d"
                + " requests.", part * (1 - plan.headroom()), part, outage.during().seconds(), outage.allowedPerWorker());
        Screen.line("  They cannot take turns then: %d in a second may be, and %d at the seams, where some share the pace and"
                + " some are alone.", outage.during().allowedPeak(), outage.allowedAtSeams());
    }

    private static void phase(String name, OutageSummary.Phase phase) {
        String rates = phase.perWorkerAndSecond().stream()
                .map(rate -> String.format(Locale.ROOT, "%.2f", rate))
                .collect(Collectors.joining(" + "));
        Screen.line("  %-22s%10.1f%6.2f/s%14s    %s",
                name, phase.seconds(), phase.perSecond(), of(phase.peak(), phase.allowedPeak()), rates + "/s");
    }

    private static String of(int peak, int allowed) {
        return peak + " of " + allowed;
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

    private static void measure(String name, @Nullable Double value, String unit, Object... args) {
        if (value == null) {
            Screen.fact(name, "%10s", "never");
            return;
        }
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
