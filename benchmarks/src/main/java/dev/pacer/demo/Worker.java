package dev.pacer.demo;

import dev.pacer.Backoff;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.http.HttpPacing;
import dev.pacer.http.PacingHttpClient;
import dev.pacer.http.RequestPacing;
import dev.pacer.postgres.PostgresCursor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/**
 * One of the processes that share the ceiling.
 *
 * <p>Reads orders, a line each, and reports, a line each: {@code rehearsed} and {@code sent} whenever it sends a request;
 * {@code ready}; {@code measured} and a histogram; {@code done}; {@code failed} and why.
 * With an answer of 429 the filter deals, unless the worker paces by itself: then nobody hears it, so that nothing but
 * sharing keeps the ceiling. It ends when told to, and also when there is nobody left to tell it: the end of its input
 * is the end of its parent.
 */
public final class Worker {

    static final String MEASURE = "measure";
    static final String START = "start";
    static final String END = "end";

    /** Ten times the default: a machine that is busy with a build beside the demo is not an outage. */
    private static final Duration DATABASE_LIMIT = Duration.ofSeconds(5);

    /** All ask at once, and the last one is to be served as well. */
    private static final Duration LONGEST_WAIT = Duration.ofDays(30);

    /** Pacer's own, but it takes 5 good answers to be trusted again where the default is 20: a demo is short. */
    private static final Backoff BACKOFF =
            Backoff.DEFAULT.widening(Backoff.DEFAULT.widest(), /* cleanRun= */ 5, /* shared= */ true);

    private static final int WARM_UP_RESERVATIONS = 1_000;
    private static final int REHEARSALS = 100;
    private static final Pace REHEARSAL_PACE = Pace.perSecond(300);

    private final Task task;
    private final Pacer pacer;
    private final HttpClient http;
    private final String ownKey;

    private Worker(Task task) {
        this.task = task;
        this.ownKey = task.host() + " worker " + task.worker();
        this.pacer = pacer(task);
        this.http = http(task, pacer);
    }

    /** Its key is the host with the port. */
    private static HttpClient http(Task task, Pacer pacer) {
        HttpClient client = HttpClient.create()
                .baseUrl("http://" + task.host())
                .headers(headers -> headers.set(Vendor.WORKER, task.worker()))
                .doOnRequest((request, connection) -> report(isRehearsal(request.uri()) ? "rehearsed" : "sent"));
        HttpPacing pacing =
                HttpPacing.builder(pacer).maxWait(LONGEST_WAIT).gate(task.plan().sharing()).build();
        return PacingHttpClient.decorate(client, pacing);
    }

    private static boolean isRehearsal(String path) {
        return path.startsWith(Vendor.WARM_UP);
    }

    private static Pacer pacer(Task task) {
        Pacer.Builder builder = Pacer.builder()
                .pace(task.host(), task.plan().pace())
                .pace(rehearsalKey(task), REHEARSAL_PACE)
                .defaultPace(Pace.perSecond(Latency.NEVER_WAITS))
                .backoff(BACKOFF)
                .maxWait(LONGEST_WAIT);
        if (task.database() != null) {
            builder.cursor(PostgresCursor.builder().url(task.database()).timeLimit(DATABASE_LIMIT).build());
        }
        return builder.build();
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
        pacer.close();
        pacer.whenClosed().block(DATABASE_LIMIT);
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
        run(rehearse().thenReturn("ready"));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            switch (order) {
                case MEASURE -> run(Latency.measure(pacer, ownKey, task.plan().reservations())
                        .map(histogram -> "measured " + Latency.toText(histogram)));
                case START -> run(fetchAll().thenReturn("done"));
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

    /**
     * Connects to the vendor and to the database, and takes every step of the run before it counts: the first time in a
     * JVM would come late by some 50 ms. One of them is a cooldown, which everybody begins with.
     */
    private Mono<Void> rehearse() {
        RequestPacing rehearsal = RequestPacing.key(rehearsalKey(task));
        return Latency.measure(pacer, ownKey, WARM_UP_RESERVATIONS)
                .then(get(Vendor.WARM_UP_STOP).contextWrite(rehearsal.mode(HttpPacing.Mode.NEVER_WAIT).context()))
                .thenMany(Flux.range(0, REHEARSALS))
                .flatMap(i -> get(Vendor.WARM_UP).contextWrite(rehearsal.context()), Integer.MAX_VALUE)
                .then();
    }

    private static String rehearsalKey(Task task) {
        return task.host() + " rehearsal";
    }

    /** Asks for everything at once, and leaves it to the filter when each of them goes. */
    private Mono<Void> fetchAll() {
        Plan plan = task.plan();
        return Flux.range(0, plan.requests())
                .filter(resource -> resource % plan.processes() == task.worker())
                .flatMap(resource -> get("/images/" + resource), Integer.MAX_VALUE)
                .then();
    }

    private Mono<Integer> get(String path) {
        return http.get()
                .uri(path)
                .responseSingle((response, body) -> body.then(Mono.just(response.status().code())));
    }
}
