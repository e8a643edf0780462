package dev.pacer.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a summary comes to, in sentences: what went well, or everything that did not. */
final class Verdict {

    private Verdict() {}

    /** In picocli's markup. */
    static List<String> lines(Summary summary, Plan plan) {
        return summary.held() ? praise(summary) : blame(summary, plan);
    }

    private static List<String> praise(Summary summary) {
        List<String> lines = new ArrayList<>();
        OutageSummary outage = summary.outage();
        lines.add(said("green", "The ceiling held:", "never more than %d in any second%s, from %d process%s.",
                outage == null ? summary.peakInAnySecond() : Math.max(outage.before().peak(), outage.after().peak()),
                outage == null ? "" : " before the outage and after it",
                summary.processes(),
                summary.processes() == 1 ? "" : "es together"));
        if (outage != null) {
            lines.add(said("green", "The outage was bridged:", "without the database %.2f/s, each worker its share, and"
                    + " no call failed.%s", outage.during().perSecond(), answered429(summary.rateLimited())));
        }
        CooldownSummary cooldown = summary.cooldown();
        if (cooldown != null) {
            lines.add(said("green", "The cooldown was kept:", "%s told, all stopped for %d s and came back%s.",
                    cooldown.arrivedInGrace() == 0 ? "one worker was" : "the first were",
                    cooldown.seconds(),
                    cooldown.judgesGaps() ? " one by one" : ""));
        }
        return lines;
    }

    private static String answered429(int limited) {
        return limited == 0 ? "" : " The vendor answered 429 to " + limited + ", which were sent again.";
    }

    private static List<String> blame(Summary summary, Plan plan) {
        List<String> lines = new ArrayList<>();
        if (summary.outage() != null) {
            lines.addAll(blame(summary.outage(), summary));
        } else if (!summary.ceilingHeld()) {
            lines.add(said("red", "The ceiling broke:", "%d in a second where %d are allowed; answers of 429 for that: %d.",
                    summary.peakInAnySecond(), summary.ceilingPerSecond(), summary.rateLimited()));
            lines.addAll(why(plan));
        }
        if (summary.cooldown() != null) {
            lines.addAll(blame(summary.cooldown()));
        }
        if (plan.sharing() && !summary.complete()) {
            lines.add(said("red", "Not everything was fetched, once:", "%d of %d images, in %d requests, of which %d"
                    + " were answered 429.",
                    summary.resources(), summary.requests(), summary.dispatched(), summary.refused()));
        }
        return lines;
    }

    private static List<String> blame(OutageSummary outage, Summary summary) {
        List<String> lines = new ArrayList<>();
        if (!outage.cameBack()) {
            lines.add(said("red", "They did not all notice:",
                    "every worker must pace alone in the outage, and share after it."));
        }
        over(lines, "before the outage", outage.before().peak(), summary.ceilingPerSecond());
        over(lines, "while each worker was alone", outage.during().peak(), outage.during().allowedPeak());
        over(lines, "at the seams of the outage", outage.peakAtSeams(), outage.allowedAtSeams());
        over(lines, "after the outage", outage.after().peak(), summary.ceilingPerSecond());
        if (!outage.sharesKept()) {
            lines.add(said("red", "A worker took more than its share:",
                    "%s while each was alone, where %d each are allowed.",
                    outage.during().perWorker(), outage.allowedPerWorker()));
        }
        if (!lines.isEmpty()) {
            lines.add("On a busy machine, try --lateness 200 and --headroom 0.2.");
        }
        return lines;
    }

    private static void over(List<String> lines, String when, int peak, int allowed) {
        if (peak > allowed) {
            lines.add(said("red", "Too many " + when + ":", "%d in a second where %d are allowed.", peak, allowed));
        }
    }

    private static List<String> blame(CooldownSummary cooldown) {
        List<String> lines = new ArrayList<>();
        if (!cooldown.obeyed()) {
            lines.add(said("red", "The cooldown was not kept:", "%d arrived in it, later than the %.0f ms that a notice"
                    + " and the way may take.", cooldown.arrivedInside(), cooldown.graceMillis()));
        }
        Double gap = cooldown.shortestGapMillis();
        if (gap != null && !cooldown.spaced()) {
            lines.add(said("red", "They came back too close together:", "%.1f ms apart, where %.1f are the least.",
                    gap, cooldown.leastGapMillis()));
        }
        if (!lines.isEmpty()) {
            lines.add("On a busy machine, or with a database far away, try --lateness 100.");
        }
        return lines;
    }

    private static String said(String colour, String what, String more, Object... args) {
        return "@|bold," + colour + " " + what + "|@ " + String.format(Locale.ROOT, more, args);
    }

    private static List<String> why(Plan plan) {
        return plan.sharing()
                ? List.of(
                        "The slots were far enough apart, so requests were held up on their way by more than the headroom"
                                + " allows for:",
                        "a busy machine does that. Try --headroom 0.2, and look at the shortest gap.")
                : List.of(plan.processes() + " processes paced themselves, each at the whole ceiling: that is what"
                        + " --no-pacer-sharing shows.");
    }
}
