package dev.pacer.demo;

import dev.pacer.http.Progress;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;

/** Shows progress: on a terminal in one line that is written over, elsewhere as a line now and then. */
final class Bar {

    private static final int WIDTH = 24;
    private static final String REST_OF_LINE = "\u001b[K";

    private final PrintStream out;
    private final boolean terminal;

    Bar(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** How often it wants to be told. */
    Duration every() {
        return terminal ? Duration.ofMillis(250) : Duration.ofSeconds(5);
    }

    void show(Progress progress) {
        if (terminal) {
            out.print("\r" + text(progress) + REST_OF_LINE);
            out.flush();
        } else {
            out.println(text(progress));
        }
    }

    /** What is printed next begins on a line of its own. */
    void end() {
        if (terminal) {
            out.println();
        }
    }

    static String text(Progress progress) {
        StringBuilder text = new StringBuilder("  ");
        progress.total().ifPresent(total -> text.append(bar(progress.done(), total)));
        text.append(String.format(Locale.ROOT, "%d%s  %.1f/s", progress.done(), of(progress.total()), progress.perSecond()));
        progress.eta().filter(eta -> !eta.isZero()).ifPresent(eta -> text.append("  eta ").append(clock(eta)));
        if (progress.failed() > 0) {
            text.append("  failed ").append(progress.failed());
        }
        if (progress.skipped() > 0) {
            text.append("  skipped ").append(progress.skipped());
        }
        if (progress.isRateLimited()) {
            text.append("  rate limited for ").append(clock(progress.cooldownLeft()));
        }
        return text.toString();
    }

    private static String bar(long done, long total) {
        double part = total == 0 ? 1 : Math.min(1, (double) done / total);
        int filled = (int) (part * WIDTH);
        return String.format(
                Locale.ROOT, "[%s%s] %3d %%  ", "#".repeat(filled), ".".repeat(WIDTH - filled), (int) (part * 100));
    }

    private static String of(OptionalLong total) {
        return total.isPresent() ? "/" + total.getAsLong() : "";
    }

    /** Rounded up, so that what is not over is not 0:00. */
    private static String clock(Duration duration) {
        Duration up = duration.plusMillis(999);
        return up.toHours() > 0
                ? String.format(Locale.ROOT, "%d:%02d:%02d", up.toHours(), up.toMinutesPart(), up.toSecondsPart())
                : String.format(Locale.ROOT, "%d:%02d", up.toMinutes(), up.toSecondsPart());
    }
}
