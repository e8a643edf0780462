package dev.pacer.demo;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.pacer.Pacer;
import dev.pacer.PacerListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * One of the processes that share the ceiling.
 *
 * <p>Reads orders, a line each, and reports, a line each: {@code rehearsed} and {@code sent} whenever it sends a request;
 * {@code degraded} and {@code recovered} as its pacer does; {@code ready}; {@code measured} and a histogram; {@code
 * done}; {@code failed} and why. It ends when told to, and also when there is nobody left to tell it: the end of its
 * input is the end of its parent.
 */
public final class Worker {

    static final String MEASURE = "measure";
    static final String START = "start";
    static final String END = "end";

    static final String DEGRADED = "degraded";
    static final String RECOVERED = "recovered";

    private final Task task;
    private final Client client;

    private Worker(Task task) {
        this.task = task;
        this.client = new Client(
                task, path -> report(path.startsWith(Vendor.WARM_UP) ? "rehearsed" : "sent"), new Contact());
        if (task.plan().outageSeconds() > 0) { // the parent says it, and once
            ((Logger) LoggerFactory.getLogger(Pacer.class)).setLevel(Level.ERROR);
        }
    }

    private static final class Contact implements PacerListener {

        @Override
        public void degraded(@Nullable String key, Throwable why) {
            if (key == null) {
                report(DEGRADED);
            }
        }

        @Override
        public void recovered(Duration away, long claims) {
            report(RECOVERED);
        }
    }

    public static void main(String[] args) throws IOException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String first = orders.readLine();
        if (first != null) {
            Worker worker = new Worker(Task.ofLine(first));
            if (!worker.obey(orders)) {
                worker.discardDatabase();
            }
        }
        Runtime.getRuntime().halt(0); // nothing here is worth an orderly end, and the parent waits
    }

    /** What the parent would have done, had it not been killed. Whichever worker comes first does it. */
    private void discardDatabase() {
        client.close().block(Client.DATABASE_LIMIT);
        if (task.data() != null) {
            try {
                Database.discard(Path.of(task.data()));
            } catch (IOException | UncheckedIOException another) {
                return; // was faster
            }
        }
    }

    /** Returns true when told to end, false when left alone. */
    private boolean obey(BufferedReader orders) throws IOException {
        run(client.rehearse().thenReturn("ready"));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            switch (order) {
                case MEASURE -> run(client.measure().map(histogram -> "measured " + Latency.toText(histogram)));
                case START -> run(client.fetchAll().thenReturn("done"));
                case END -> {
                    return true;
                }
                default -> report("failed no such order: " + order);
            }
        }
        return false;
    }

    private static void run(Mono<String> work) {
        work.subscribe(Worker::report, error -> report("failed " + reason(error)));
    }

    private static String reason(Throwable error) {
        Throwable cause = error.getCause();
        String message = String.valueOf(error.getMessage());
        return (cause == null || message.contains(String.valueOf(cause.getMessage())) ? message : message + ": " + cause)
                .replaceAll("\\s+", " ");
    }

    private static void report(String line) {
        System.out.println(line);
    }
}
