package dev.pacer.demo;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A line for each second of the run: what the workers say they sent, what the vendor says it got, and what else there
 * was in it.
 */
final class Progress {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final Cast cast;
    private final long start;
    private final int[] sentBefore;
    private int refusedBefore;

    Progress(Cast cast, long start) {
        this.cast = cast;
        this.start = start;
        this.sentBefore = new int[cast.workers().size()];
    }

    /** Returns when the run is over; throws what it failed with. */
    void follow(CompletableFuture<Void> run) throws InterruptedException, ExecutionException {
        StringBuilder head = new StringBuilder(String.format("%n  @|bold second"));
        for (WorkerProcess worker : cast.workers()) {
            head.append(String.format("%10s", "worker " + worker.number()));
        }
        Screen.line(head + String.format("%12s%8s%8s|@", "vendor got", "429s", "left"));
        for (int second = 1; !run.isDone(); second++) {
            waitFor(run, start + second * SECOND - System.nanoTime());
            if (!run.isCompletedExceptionally()) {
                show(second);
            }
        }
        run.get();
    }

    private static void waitFor(CompletableFuture<Void> run, long nanos) throws InterruptedException {
        try {
            run.get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException shownAndThrownLater) {
            return;
        }
    }

    private void show(int second) {
        StringBuilder line = new StringBuilder(String.format("  %6d", second));
        for (int i = 0; i < sentBefore.length; i++) {
            int sent = cast.workers().get(i).sent();
            line.append(String.format("%10d", sent - sentBefore[i]));
            sentBefore[i] = sent;
        }
        long end = start + second * SECOND;
        Vendor vendor = cast.vendor();
        int refused = vendor.refused();
        int got = vendor.arrivals().between(end - SECOND, end);
        line.append(String.format("%12d%8d%8d", got, refused - refusedBefore, cast.plan().requests() - vendor.served()));
        refusedBefore = refused;
        Screen.line("%s", line + note(end - SECOND, end));
    }

    private String note(long from, long to) {
        Cooldown cooldown = cast.vendor().cooldown();
        Outage outage = cast.outage();
        String note = outage != null ? outage.note(to) : cooldown == null ? "" : cooldown.note(from, to);
        return note.isEmpty() ? "" : "    @|yellow " + note + "|@";
    }
}
