package dev.pacer.http;

import io.netty.handler.codec.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerResponse;

/** A server on loopback that answers by a script, and remembers what came. */
final class Vendor implements AutoCloseable {

  /** What came: when, on which connection, what. */
  record Arrival(long at, String connection, String method, String uri, String host, String body, HttpHeaders headers) {}

  /** The answer to the n-th request, counted from 1. */
  interface Script {
    Publisher<Void> answer(int n, Arrival arrival, HttpServerResponse response);
  }

  final List<Arrival> arrivals = new CopyOnWriteArrayList<>();
  private final DisposableServer server;

  private Vendor(Script script, HttpProtocol... protocols) {
    AtomicInteger count = new AtomicInteger();
    server =
        HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .protocol(protocols)
            .handle(
                (request, response) ->
                    request
                        .receive()
                        .aggregate()
                        .asString()
                        .defaultIfEmpty("")
                        .flatMap(
                            body -> {
                              String[] connection = new String[1];
                              request.withConnection(c -> connection[0] = id(c.channel()));
                              Arrival arrival =
                                  new Arrival(
                                      System.nanoTime(),
                                      connection[0],
                                      request.method().name(),
                                      request.uri(),
                                      String.valueOf(request.requestHeaders().get("Host")),
                                      body,
                                      request.requestHeaders().copy());
                              arrivals.add(arrival);
                              return Mono.from(script.answer(count.incrementAndGet(), arrival, response));
                            }))
            .bindNow();
  }

  private static String id(io.netty.channel.Channel channel) {
    return (channel.parent() instanceof io.netty.channel.socket.SocketChannel parent ? parent : channel).id().asShortText();
  }

  static Vendor of(Script script, HttpProtocol... protocols) {
    return new Vendor(script, protocols.length == 0 ? new HttpProtocol[] {HttpProtocol.HTTP11} : protocols);
  }

  /** Refuses so often with this, then serves. */
  static Vendor refusing(int times, String retryAfter, HttpProtocol... protocols) {
    return of(
        (n, arrival, response) ->
            n <= times ? refuse(response, retryAfter) : response.sendString(Mono.just("served " + n)).then(),
        protocols);
  }

  /** Refuses each third request. */
  static Vendor sometimesRefusing(HttpProtocol... protocols) {
    return of(
        (n, arrival, response) ->
            n % 3 == 0 ? refuse(response, "0.005") : response.sendString(Flux.just("ser", "ved")).then(),
        protocols);
  }

  static Publisher<Void> refuse(HttpServerResponse response, String retryAfter) {
    return response.status(429).header("Retry-After", retryAfter).sendString(Mono.just("slow down")).then();
  }

  int port() {
    return server.port();
  }

  String url() {
    return "http://127.0.0.1:" + port();
  }

  /** The key that the engine makes of it. */
  String key() {
    return "127.0.0.1:" + port();
  }

  Duration between(int first, int second) {
    return Duration.ofNanos(arrivals.get(second).at() - arrivals.get(first).at());
  }

  long connections() {
    return arrivals.stream().map(Arrival::connection).distinct().count();
  }

  @Override
  public void close() {
    server.disposeNow();
  }
}
