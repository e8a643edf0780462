package dev.pacer.demo;

import dev.pacer.Pace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** One run, from the database to the verdict. */
final class Run {

    private static final Path SUMMARY = Path.of("benchmarks", "target", "demo", "summary.json");

    private final Plan plan;
    private final Owned owned = new Owned();

    Run(Plan plan) {
        this.plan = plan;
    }

    /** Returns the exit code. */
    int toTheEnd() {
        try {
            Summary.delete(SUMMARY);
            Summary summary = run();
            summary.write(SUMMARY);
            Report.print(summary, plan, SUMMARY);
            return summary.held() ? 0 : 1;
        } catch (Exception failure) {
            return failed(failure instanceof ExecutionException e && e.getCause() != null ? e.getCause() : failure);
        }
    }

    private int failed(Throwable failure) {
        if (!owned.isEnding()) { // what fails while everything is being ended is no news
            Screen.line("%n@|bold,red The run failed:|@ %s", String.valueOf(failure.getMessage()));
        }
        return 1;
    }

    private Summary run() throws Exception {
        Screen.line("@|bold %d process%s, one ceiling of %d/s, %d requests|@%n",
                plan.processes(), plan.processes() == 1 ? "" : "es", plan.rate(), plan.requests());
        Database database = database();
        Outage outage = plan.outage().isZero() ? null : new Outage(plan);
        Cooldown cooldown = plan.cooldown().isZero() ? null : Cooldown.of(plan);
        Vendor vendor = owned.open(() -> new Vendor(plan.rate(), cooldown));
        if (outage != null) {
            Screen.fact("", "killed (SIGKILL) after %d of the requests, started again %d s later",
                    Outage.after(plan), plan.outageSeconds());
        }
        sayVendor(vendor);
        List<WorkerProcess> workers = workers(vendor, database, outage);
        Cast cast = new Cast(plan, vendor, workers, outage);
        sayPace();
        Histogram latency = Screen.step(
                "reservations", () -> measure(workers), timed -> timed.getTotalCount() + " timed, none of which had to wait");
        long start = System.nanoTime();
        CompletableFuture<Void> fetched = all(workers.stream().map(WorkerProcess::startFetching).toList());
        new Progress(cast, start).follow(database == null ? fetched : withOutage(fetched, cast, database));
        return Summary.of(cast, latency);
    }

    /** Over when both are. */
    private static CompletableFuture<Void> withOutage(CompletableFuture<Void> fetched, Cast cast, Database database) {
        Outage outage = cast.outage();
        if (outage == null) {
            return fetched;
        }
        CompletableFuture<Void> over = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                outage.inflict(database, cast.vendor()::served, fetched);
                over.complete(null);
            } catch (IOException | InterruptedException | RuntimeException failure) {
                over.completeExceptionally(failure);
            }
        }, "outage");
        thread.setDaemon(true);
        thread.start();
        return all(List.of(fetched, over));
    }

    private @Nullable Database database() throws Exception {
        if (!plan.sharing()) {
            Screen.fact("database", "none: every worker paces by itself");
            return null;
        }
        if (plan.database() != null) {
            Screen.fact("database", "yours: cursors in its table pacer_cursor");
            return null;
        }
        return Screen.step("database", () -> owned.open(Database::start), Run::describe);
    }

    private static String describe(Database database) {
        return "embedded PostgreSQL, port " + database.port() + ", pid " + database.pid();
    }

    private List<WorkerProcess> workers(Vendor vendor, @Nullable Database database, @Nullable Outage outage)
            throws Exception {
        return Screen.step("workers", () -> start(vendor, database, outage), workers -> workers.stream()
                .map(worker -> String.valueOf(worker.pid()))
                .collect(Collectors.joining(", ", "pids ", "")));
    }

    private List<WorkerProcess> start(Vendor vendor, @Nullable Database database, @Nullable Outage outage)
            throws Exception {
        String url = database == null ? plan.database() : database.url();
        String data = database == null ? null : database.data().toString();
        List<WorkerProcess> workers = new ArrayList<>();
        for (int i = 0; i < plan.processes(); i++) {
            Task task = new Task(i, plan, vendor.host(), url, data);
            workers.add(owned.open(() -> WorkerProcess.start(task, outage)));
        }
        for (WorkerProcess worker : workers) {
            worker.ready().get();
        }
        return workers;
    }

    /** In turn, because the workers would else measure how they wait for each other's processor. */
    private static Histogram measure(List<WorkerProcess> workers) throws InterruptedException, ExecutionException {
        Histogram all = Latency.histogram();
        for (WorkerProcess worker : workers) {
            all.add(worker.measure().get());
        }
        return all;
    }

    /** Fails with the first that fails, and does not wait for the others. */
    private static CompletableFuture<Void> all(List<CompletableFuture<Void>> parts) {
        CompletableFuture<Void> all = CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new));
        parts.forEach(part -> part.exceptionally(failure -> {
            all.completeExceptionally(failure);
            return null;
        }));
        return all;
    }

    private void sayVendor(Vendor vendor) {
        Screen.fact("vendor", "http://%s, answers 429 above %d in any second", vendor.host(), plan.rate());
        if (vendor.cooldown() != null) {
            Screen.fact("", "and, after half of the requests, to all that arrives in %d s", plan.cooldownSeconds());
        }
    }

    private void sayPace() {
        Pace pace = plan.pace();
        Screen.fact("pace", "%.2f/s, a slot every %.1f ms: %d/s less a headroom of %.0f %%,",
                plan.rate() * (1 - plan.headroom()), pace.interval().toNanos() / 1e6, plan.rate(), plan.headroom() * 100);
        Screen.fact("", "because the vendor counts arrivals, and those are not as even as what was sent");
    }
}
