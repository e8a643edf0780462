package dev.pacer.http;

import dev.pacer.Call;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientConfig;
import reactor.netty.http.client.HttpClientResponse;
import reactor.util.context.ContextView;

/**
 * Paces the requests of a Reactor Netty {@link HttpClient}, whatever sends them through it. Needs Reactor Netty and
 * nothing of Spring.
 *
 * <p>A request waits before it asks for a connection, so that meanwhile it holds none, takes no place in the pool's
 * queue, and its response timeout does not run. Each subscription is a request of its own; cancelling ends it
 * wherever it is, and nothing is sent after that. {@link RequestPacing} in the Context says what one request wants
 * different.
 *
 * <p>Redirects are followed inside the client, where nothing can wait. Each further hop takes the slots of the place
 * it goes to, so that others make room for it, but it does not wait for them; a refusal there shuts the gate of that
 * place, and is waited for there. To have every hop wait, switch off {@link HttpClient#followRedirect} and follow
 * by hand.
 *
 * <p>A body that only shows in its text that it is a refusal (GraphQL) is not seen here; use {@link
 * PacingExchangeFilter} for such vendors.
 */
public final class PacingHttpClient {

  private static final Logger LOG = LoggerFactory.getLogger(HttpPacing.class);
  private static final NettyResponses RESPONSES = new NettyResponses();

  /** From the tap to the gate, which run one right after the other on one thread. */
  private static final ThreadLocal<@Nullable HttpClientConfig> SEEN = new ThreadLocal<>();

  private PacingHttpClient() {}

  /**
   * A client whose requests are paced by the engine's key function. A URI that is given as a {@code Mono} is not
   * known when the request has to wait: that needs a base URL, a key in the Context, or a {@linkplain
   * #decorate(HttpClient, HttpPacing, String) fixed key}, and fails else.
   */
  public static HttpClient decorate(HttpClient client, HttpPacing engine) {
    return client
        .proxyWhen(
            (config, unused) -> {
              SEEN.set(config); // only to look: no other hook sees the URI of a request
              return Mono.empty();
            })
        .headersWhen(headers -> admitted(engine, headers))
        .doOnRedirect((response, connection) -> charge(engine, response, null))
        .mapConnect(
            source ->
                Mono.deferContextual(
                    context -> {
                      Course<Connection> course = new Course<>(engine, RESPONSES, RequestPacing.in(context));
                      return course.run(exchange(source).contextWrite(c -> c.put(Course.class, course)));
                    }));
  }

  /** A client whose requests all have this key, unless one brings its own in the Context. */
  public static HttpClient decorate(HttpClient client, HttpPacing engine, String key) {
    Mark mark = new Mark(engine.pacer, null);
    return client
        .doOnRedirect((response, connection) -> charge(engine, response, key))
        .mapConnect(
            source ->
                Mono.deferContextual(
                    context -> {
                      if (Mark.covers(context, engine.pacer, null)) {
                        return exchange(source);
                      }
                      Course<Connection> course = new Course<>(engine, RESPONSES, RequestPacing.in(context));
                      return course.run(course.sendAfter(course.admit(key), exchange(source).contextWrite(mark::in)));
                    }));
  }

  /** What {@code mapConnect} is given is not just the connection: it comes when the head of the response is here. */
  private static Mono<Connection> exchange(Mono<? extends Connection> source) {
    return source.map(connection -> connection);
  }

  private static Mono<HttpHeaders> admitted(HttpPacing engine, HttpHeaders headers) {
    HttpClientConfig config = SEEN.get();
    SEEN.remove();
    return Mono.deferContextual(
        context -> {
          Request request = new Request(config.method().name(), uri(config), headers::getAll);
          return isPaced(context, engine, request)
              ? Mono.just(headers)
              : course(context).admit(request).thenReturn(headers);
        });
  }

  private static boolean isPaced(ContextView context, HttpPacing engine, Request request) {
    return context.hasKey(Mark.class)
        && !request.uri().isEmpty()
        && Mark.covers(context, engine.pacer, request.destination().key());
  }

  private static Course<?> course(ContextView context) {
    return context.get(Course.class);
  }

  /** As Reactor Netty will resolve it; empty where it is not known yet. */
  private static String uri(HttpClientConfig config) {
    String uri = config.uri();
    String scheme = config.isSecure() ? "https://" : "http://";
    if (uri != null && !uri.startsWith("/")) {
      return uri.contains("://") ? uri : scheme + uri;
    }
    String base = config.baseUrl();
    if (base != null) {
      return (base.contains("://") ? base : scheme + base) + (uri == null ? "" : uri);
    }
    String address = uri == null ? "" : address(config.remoteAddress().get());
    return address.isEmpty() ? "" : scheme + address + uri;
  }

  private static String address(@Nullable SocketAddress address) {
    if (address instanceof InetSocketAddress place) {
      String host = place.getHostString();
      return (host.contains(":") ? "[" + host + "]" : host) + ":" + place.getPort();
    }
    return "";
  }

  /** A redirect cannot be made to wait: it takes its slot, and those who come after it wait instead. */
  private static void charge(HttpPacing engine, HttpClientResponse response, @Nullable String fixedKey) {
    RequestPacing own = RequestPacing.in(response.currentContextView());
    if (!engine.pacing || RequestPacing.either(own.mode(), engine.mode) == HttpPacing.Mode.NEVER_WAIT) {
      return;
    }
    try {
      for (String key : keys(engine, response, own, fixedKey)) {
        engine.pacer.reserve(key, Call.ONE).subscribe(taken -> {}, error -> notCharged(key, error));
      }
    } catch (RuntimeException unreadable) {
      notCharged(String.valueOf(response.responseHeaders().get(HttpHeaderNames.LOCATION)), unreadable);
    }
  }

  private static List<String> keys(
      HttpPacing engine, HttpClientResponse response, RequestPacing own, @Nullable String fixedKey) {
    if (own.keys() != null || fixedKey != null) {
      return RequestPacing.either(own.keys(), List.of(String.valueOf(fixedKey)));
    }
    String location = response.responseHeaders().get(HttpHeaderNames.LOCATION);
    String there = URI.create(response.resourceUrl()).resolve(location).toString();
    return engine.keys.apply(new Request(response.method().name(), there, name -> List.of()));
  }

  private static void notCharged(String where, Throwable error) {
    LOG.debug("A redirect to \"{}\" took no slot", where, error);
  }
}
