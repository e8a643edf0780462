package dev.pacer.demo;

import dev.pacer.demo.Arrivals.Arrival;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/**
 * The vendor that the workers fetch from: answers 429 to every request that is one too many in the second before it,
 * whether or not the others in it were answered 429 themselves, and to all that arrive in its cooldown.
 */
final class Vendor implements AutoCloseable {

    /** What is asked for here is not counted. */
    static final String WARM_UP = "/warm-up";

    /** Nor here, where the answer is always 429. */
    static final String WARM_UP_STOP = "/warm-up/stop";

    /** The header in which a worker says its number. */
    static final String WORKER = "Worker";

    private static final Duration OVER_THE_CEILING = Duration.ofSeconds(1);

    private final Arrivals arrivals;
    private final @Nullable Cooldown cooldown;
    private final Set<String> served = new HashSet<>();
    private int refused;
    private final DisposableServer server;

    /** With the cooldown that it will decide on, if any. */
    Vendor(int rate, @Nullable Cooldown cooldown) {
        this.arrivals = new Arrivals(rate);
        this.cooldown = cooldown;
        this.server = HttpServer.create().host("127.0.0.1").port(0).handle(this::answer).bindNow();
    }

    private Publisher<Void> answer(HttpServerRequest request, HttpServerResponse response) {
        String resource = request.uri();
        if (resource.equals(WARM_UP_STOP)) {
            return stop(response, Duration.ZERO);
        }
        if (!resource.equals(WARM_UP)) {
            Duration stay = stayAway(resource, Integer.parseInt(request.requestHeaders().get(WORKER)));
            if (!stay.isZero()) {
                return stop(response, stay);
            }
        }
        return response.sendString(Mono.just("the image at " + resource));
    }

    /** In whole seconds, rounded up, as the header has it. */
    private static Publisher<Void> stop(HttpServerResponse response, Duration stay) {
        long seconds = stay.plusSeconds(1).minusNanos(1).toSeconds();
        return response.status(429).header("Retry-After", String.valueOf(seconds)).send();
    }

    /** Zero if the request is served. Takes the time where nobody can come in between, so that arrivals are in order. */
    private synchronized Duration stayAway(String resource, int worker) {
        long now = System.nanoTime();
        int number = arrivals.count();
        boolean within = arrivals.arrived(new Arrival(now, worker));
        Duration told = cooldown == null ? Duration.ZERO : cooldown.told(number, now);
        if (within && told.isZero()) {
            served.add(resource);
            return Duration.ZERO;
        }
        refused++;
        return told.isZero() ? OVER_THE_CEILING : told;
    }

    String host() {
        return "127.0.0.1:" + server.port();
    }

    Arrivals arrivals() {
        return arrivals;
    }

    @Nullable Cooldown cooldown() {
        return cooldown;
    }

    /** How many different resources it has served. */
    synchronized int served() {
        return served.size();
    }

    /** How many requests it has answered 429. */
    synchronized int refused() {
        return refused;
    }

    @Override
    public void close() {
        server.disposeNow();
    }
}
