package dev.pacer.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** A worker as its parent sees it. Thread-safe. */
final class WorkerProcess implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 2;
    /** The first JDK that warns of native code and of Unsafe, and knows how to be told not to. */
    private static final int WARNS_OF_NETTY = 24;

    private final int number;
    private final @Nullable Outage outage;
    private final Process process;
    private final PrintWriter orders;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<Histogram> measured = new CompletableFuture<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final AtomicInteger sent = new AtomicInteger();

    private WorkerProcess(Task task, @Nullable Outage outage, Process process) {
        this.number = task.worker() + 1;
        this.outage = outage;
        this.process = process;
        this.orders = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), /* autoFlush= */ true);
    }

    /** With an outage, if there will be one, that is told what the worker notices of it. */
    static WorkerProcess start(Task task, @Nullable Outage outage) throws IOException {
        Process process = new ProcessBuilder(command())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        WorkerProcess worker = new WorkerProcess(task, outage, process);
        worker.order(task.toLine());
        Thread listener = new Thread(worker::listen, "worker-" + worker.number);
        listener.setDaemon(true);
        listener.start();
        return worker;
    }

    /** Small JVMs, so that those of one machine keep out of each other's way: C2 alone took half the processor time. */
    private static List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        if (Runtime.version().feature() >= WARNS_OF_NETTY) {
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Worker.class.getName()));
        return command;
    }

    private void listen() {
        String why = "it ended too early";
        try (BufferedReader reports = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reports.readLine(); line != null; line = reports.readLine()) {
                heard(line);
            }
        } catch (IOException e) {
            why = "it cannot be heard: " + e.getMessage();
        }
        fail(why);
    }

    private void heard(String line) {
        int space = line.indexOf(' ');
        String word = space < 0 ? line : line.substring(0, space);
        String rest = line.substring(space + 1);
        switch (word) {
            case "rehearsed" -> {} // does not count
            case "ready" -> ready.complete(null);
            case "measured" -> measured.complete(Latency.ofText(rest));
            case "sent" -> sent.incrementAndGet();
            case Worker.DEGRADED, Worker.RECOVERED -> contact(word);
            case "done" -> done.complete(null);
            case "failed" -> fail(rest);
            default -> fail("it said: " + line);
        }
    }

    private void contact(String word) {
        long now = System.nanoTime();
        if (outage == null) {
            return; // the log says it
        }
        if (word.equals(Worker.DEGRADED)) {
            outage.degraded(number, now);
        } else {
            outage.recovered(number, now);
        }
    }

    private void fail(String why) {
        IllegalStateException failure = new IllegalStateException("worker " + number + " failed: " + why);
        ready.completeExceptionally(failure);
        measured.completeExceptionally(failure);
        done.completeExceptionally(failure);
    }

    CompletableFuture<Void> ready() {
        return ready;
    }

    CompletableFuture<Histogram> measure() {
        order(Worker.MEASURE);
        return measured;
    }

    CompletableFuture<Void> startFetching() {
        order(Worker.START);
        return done;
    }

    private void order(String line) {
        orders.println(line);
    }

    int number() {
        return number;
    }

    long pid() {
        return process.pid();
    }

    /** How many requests it has sent. */
    int sent() {
        return sent.get();
    }

    @Override
    public void close() {
        order(Worker.END);
        process.onExit().completeOnTimeout(process, PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        process.destroyForcibly().onExit().join();
    }
}
