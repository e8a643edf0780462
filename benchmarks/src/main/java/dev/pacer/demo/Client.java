package dev.pacer.demo;

import dev.pacer.Backoff;
import dev.pacer.Fallback;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.PacerListener;
import dev.pacer.http.HttpPacing;
import dev.pacer.http.PacingHttpClient;
import dev.pacer.http.RequestPacing;
import dev.pacer.postgres.PostgresCursor;
import java.time.Duration;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/**
 * What a user of pacer would write: a pacer, and an HTTP client that it paces. With an answer of 429 the filter deals,
 * unless the worker paces by itself: then nobody hears it, so that nothing but sharing keeps the ceiling.
 */
final class Client {

    /** Ten times the default: a machine that is busy with a build beside the demo is not an outage. */
    static final Duration DATABASE_LIMIT = Duration.ofSeconds(5);

    /** All ask at once, and the last one is to be served as well. */
    private static final Duration LONGEST_WAIT = Duration.ofDays(30);

    /** Pacer's own, but 5 good answers end the doubled interval after a 429, where it takes 20: a demo is short. */
    private static final Backoff BACKOFF =
            Backoff.DEFAULT.widening(Backoff.DEFAULT.widest(), /* cleanRun= */ 5, /* shared= */ true);

    /**
     * Pacer's own, but the workers are counted each 2 s, where it takes 10, for the same reason; and a busy machine is
     * not an outage here either.
     */
    static final Fallback FALLBACK = Fallback.DEFAULT.heartbeat(Duration.ofSeconds(2)).patience(DATABASE_LIMIT);

    private static final int WARM_UP_RESERVATIONS = 1_000;
    private static final int REHEARSALS = 100;
    private static final Pace REHEARSAL_PACE = Pace.perSecond(300);

    private final Task task;
    private final String ownKey;
    private final String rehearsalKey;
    private final Pacer pacer;
    private final HttpClient http;

    /** With somebody who is told the path of each request that is sent, and somebody who is told of the database. */
    Client(Task task, Consumer<String> sent, PacerListener listener) {
        this.task = task;
        this.ownKey = task.host() + " worker " + task.worker();
        this.rehearsalKey = task.host() + " rehearsal";
        this.pacer = pacer(listener);
        this.http = http(sent);
    }

    private Pacer pacer(PacerListener listener) {
        Pacer.Builder builder = Pacer.builder()
                .pace(task.host(), task.plan().pace())
                .pace(rehearsalKey, REHEARSAL_PACE)
                .defaultPace(Pace.perSecond(Latency.NEVER_WAITS))
                .backoff(BACKOFF)
                .fallback(FALLBACK)
                .listener(listener)
                .maxWait(LONGEST_WAIT);
        if (task.database() != null) {
            builder.cursor(PostgresCursor.builder().url(task.database()).timeLimit(DATABASE_LIMIT).build());
        }
        return builder.build();
    }

    /** The key of its requests is the vendor's host with the port. */
    private HttpClient http(Consumer<String> sent) {
        HttpClient client = HttpClient.create()
                .baseUrl("http://" + task.host())
                .headers(headers -> headers.set(Vendor.WORKER, task.worker()))
                .doOnRequest((request, connection) -> sent.accept(request.uri()));
        boolean hears429s = task.plan().sharing();
        return PacingHttpClient.decorate(
                client, HttpPacing.builder(pacer).maxWait(LONGEST_WAIT).gate(hears429s).build());
    }

    /**
     * Connects to the vendor and to the database, and takes every step of the run before it counts: the first time in a
     * JVM would come late by some 50 ms. One of them is a cooldown, which everybody begins with.
     */
    Mono<Void> rehearse() {
        RequestPacing rehearsal = RequestPacing.key(rehearsalKey);
        return Latency.measure(pacer, ownKey, WARM_UP_RESERVATIONS)
                .then(get(Vendor.WARM_UP_STOP).contextWrite(rehearsal.mode(HttpPacing.Mode.NEVER_WAIT).context()))
                .thenMany(Flux.range(0, REHEARSALS))
                .flatMap(i -> get(Vendor.WARM_UP).contextWrite(rehearsal.context()), Integer.MAX_VALUE)
                .then();
    }

    /** What a reservation costs. */
    Mono<Histogram> measure() {
        return Latency.measure(pacer, ownKey, task.plan().reservations());
    }

    /** Asks for everything at once, and leaves it to the filter when each of them goes. */
    Mono<Void> fetchAll() {
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

    /** Completes when nothing is connected to the database any more. */
    Mono<Void> close() {
        return Mono.fromRunnable(pacer::close).then(pacer.whenClosed());
    }
}
