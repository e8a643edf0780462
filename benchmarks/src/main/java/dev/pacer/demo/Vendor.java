package dev.pacer.demo;

import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/**
 * The vendor that the workers fetch from: answers 429 to every request that is one too many in the second before it,
 * whether or not the others in it were answered 429 themselves.
 */
final class Vendor implements AutoCloseable {

    /** What is asked for here is not counted. */
    static final String WARM_UP = "/warm-up";

    private final Arrivals arrivals;
    private final DisposableServer server;

    Vendor(int rate) {
        this.arrivals = new Arrivals(rate);
        this.server = HttpServer.create().host("127.0.0.1").port(0).handle(this::answer).bindNow();
    }

    private Publisher<Void> answer(HttpServerRequest request, HttpServerResponse response) {
        if (request.uri().equals(WARM_UP) || arrivals.arrived(request.uri())) {
            return response.sendString(Mono.just("the image at " + request.uri()));
        }
        return response.status(429).header("Retry-After", "1").send();
    }

    String host() {
        return "127.0.0.1:" + server.port();
    }

    Arrivals arrivals() {
        return arrivals;
    }

    @Override
    public void close() {
        server.disposeNow();
    }
}
