package dev.pacer.http;

import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * Paces the requests of a WebClient, with whatever connector: {@code builder.filter(PacingExchangeFilter.of(engine))}.
 *
 * <p>Where to put it: filters that have to run again for each sending (authorization, signatures) go after it, those
 * that make errors of statuses and those that retry go before it. A filter that retries around this one multiplies
 * its attempts. With a decorated {@link PacingHttpClient} below it, on the same pacer, a request is paced once.
 *
 * <p>What one request wants different is a {@link RequestPacing}, as an attribute or in the Context. A URI without a
 * host (the connector has the base URL) needs a key there.
 *
 * <p>Redirects that the connector follows are neither seen nor paced here: switch them off, or decorate the
 * connector's client as well.
 *
 * <p>A body that can be read only once makes the second sending fail: the caller gets a {@link
 * RequestNotReplayableException} which says what the first was refused with. {@code Mono.fromSupplier} and the like
 * are computed anew for each sending.
 */
public final class PacingExchangeFilter implements ExchangeFilterFunction {

  private final HttpPacing engine;

  private PacingExchangeFilter(HttpPacing engine) {
    this.engine = engine;
  }

  public static PacingExchangeFilter of(HttpPacing engine) {
    return new PacingExchangeFilter(engine);
  }

  @Override
  public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
    return Mono.deferContextual(
        context -> {
          String place = place(request.url());
          if (Mark.covers(context, engine.pacer, place)) {
            return next.exchange(request);
          }
          RequestPacing own = RequestPacing.in(request.attributes(), context);
          Course<ClientResponse> course = new Course<>(engine, new WebResponses(request.method().name()), own);
          Mark mark = new Mark(engine.pacer, place);
          Mono<ClientResponse> sending =
              Mono.defer(() -> next.exchange(course.last() == null ? request : Replay.of(request)));
          return course.run(course.sendAfter(course.admit(asked(request)), sending.contextWrite(mark::in)));
        });
  }

  private static Request asked(ClientRequest request) {
    return new Request(
        request.method().name(),
        request.url().toString(),
        name -> WebResponses.lines(request.headers(), name));
  }

  private static @Nullable String place(URI uri) {
    try {
      return Destination.of(uri).key();
    } catch (IllegalArgumentException relative) {
      return null;
    }
  }
}
