package dev.pacer.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The end of the database in the middle of a run, its return, and what the workers say about it. Thread-safe.
 *
 * <p>Early enough that there is something to see afterwards: it takes a while until the workers ask for it again.
 */
final class Outage {

    /**
     * When what happened, by {@link System#nanoTime}; null for what has not. What a worker said is a moment older.
     *
     * @param killed the database
     * @param alone when the last worker had noticed
     * @param returned the database
     * @param firstBack when the first worker shared again
     * @param shared when all of them did
     */
    record Moments(
            @Nullable Long killed,
            @Nullable Long alone,
            @Nullable Long returned,
            @Nullable Long firstBack,
            @Nullable Long shared) {}

    private static final Duration POLL = Duration.ofMillis(5);
    private static final double SECOND = Duration.ofSeconds(1).toNanos();

    private final Plan plan;
    private final Set<Integer> onTheirOwn = new HashSet<>();
    private final List<String> news = new ArrayList<>();
    private Moments moments = new Moments(null, null, null, null, null);

    Outage(Plan plan) {
        this.plan = plan;
    }

    /** How many requests are served before. */
    static int after(Plan plan) {
        return plan.requests() / 3;
    }

    /** Kills the database in the middle of this run and starts it again. Returns when it is back, or the run is over. */
    void inflict(Database database, IntSupplier served, Future<?> run) throws IOException, InterruptedException {
        while (served.getAsInt() < after(plan)) {
            if (isOver(run, POLL)) {
                return;
            }
        }
        killed(System.nanoTime());
        database.kill();
        if (!isOver(run, plan.outage())) {
            database.startAgain();
            returned(System.nanoTime(), database.pid());
        }
    }

    /** Waits for so long, or until it is. */
    private static boolean isOver(Future<?> run, Duration most) throws InterruptedException {
        try {
            run.get(most.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException goesOn) {
            return false;
        } catch (ExecutionException said) { // by whoever follows the run
            return true;
        }
        return true;
    }

    synchronized void killed(long now) {
        moments = new Moments(now, null, null, null, null);
        news.add("database killed");
        seeWhetherAllAreAlone(now);
    }

    synchronized void returned(long now, long pid) {
        moments = new Moments(moments.killed, moments.alone, now, moments.firstBack, moments.shared);
        news.add("database back, pid " + pid);
    }

    /** A worker paces itself from now on. */
    synchronized void degraded(int worker, long now) {
        onTheirOwn.add(worker);
        moments = new Moments(moments.killed, moments.alone, moments.returned, moments.firstBack, null);
        seeWhetherAllAreAlone(now);
    }

    private void seeWhetherAllAreAlone(long now) {
        if (moments.killed != null && moments.alone == null && onTheirOwn.size() == plan.processes()) {
            moments = new Moments(moments.killed, now, moments.returned, null, null);
            news.add("every worker paces alone");
        }
    }

    /** A worker shares the cursor again from now on. */
    synchronized void recovered(int worker, long now) {
        onTheirOwn.remove(worker);
        if (moments.alone == null) {
            return;
        }
        Long first = moments.firstBack == null ? Long.valueOf(now) : moments.firstBack;
        Long all = onTheirOwn.isEmpty() ? Long.valueOf(now) : null;
        if (all != null && moments.shared == null) {
            news.add("all share again");
        }
        moments = new Moments(moments.killed, moments.alone, moments.returned, first, all);
    }

    synchronized Moments moments() {
        return moments;
    }

    /** What there is to say about it since this was asked last; empty if there is nothing. */
    synchronized String note(long now) {
        String note = news.isEmpty() ? lasting(now) : String.join("; ", news);
        news.clear();
        return note;
    }

    private String lasting(long now) {
        if (moments.killed == null || moments.shared != null) {
            return "";
        }
        double left = (moments.killed + plan.outage().toNanos() - now) / SECOND;
        return moments.returned == null
                ? left > 0 ? String.format(Locale.ROOT, "no database, %.1f s left", left) : "no database, it is starting"
                : "still alone: they ask each %d s".formatted(Client.FALLBACK.latch().toSeconds());
    }
}
