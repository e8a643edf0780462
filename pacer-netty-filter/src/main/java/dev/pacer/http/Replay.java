package dev.pacer.http;

import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.client.reactive.ClientHttpRequest;
import org.springframework.http.client.reactive.ClientHttpRequestDecorator;
import org.springframework.web.reactive.function.BodyInserter;
import org.springframework.web.reactive.function.client.ClientRequest;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A request that is sent once more. Whether its body can be read again shows only when it is; if it fails then, the
 * error is an {@link Unreadable}.
 */
final class Replay extends ClientHttpRequestDecorator {

  private Replay(ClientHttpRequest delegate) {
    super(delegate);
  }

  static ClientRequest of(ClientRequest request) {
    BodyInserter<?, ? super ClientHttpRequest> body = request.body();
    return ClientRequest.from(request)
        .body((output, context) -> body.insert(new Replay(output), context))
        .build();
  }

  /** A Mono stays one: that decides between a length and chunks. */
  @Override
  public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
    return super.writeWith(
        body instanceof Mono<? extends DataBuffer> one
            ? one.onErrorMap(Unreadable::new)
            : Flux.from(body).onErrorMap(Unreadable::new));
  }

  @Override
  public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
    return super.writeAndFlushWith(
        Flux.from(body).map(part -> Flux.from(part).onErrorMap(Unreadable::new)).onErrorMap(Unreadable::new));
  }
}
