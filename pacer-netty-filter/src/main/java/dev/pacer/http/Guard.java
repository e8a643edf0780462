package dev.pacer.http;

import java.time.Duration;
import reactor.core.publisher.Mono;

/**
 * May refuse a request before it costs anything: asked before each sending, ahead of gate and slot. A circuit breaker
 * is one; {@link UnreachableGuard} is another. Called from several threads; must not block.
 */
@FunctionalInterface
public interface Guard {

  /** Lets everything pass. */
  Guard NONE = destination -> Mono.empty();

  /**
   * Empty to let it pass; an error, which the caller gets as it is, to refuse it.
   *
   * @param destination {@link Destination#key} of the request, or where the client does not say, its first pacing key
   */
  Mono<Void> check(String destination);

  /** A request that was let pass had an answer, whatever its status. */
  default void answered(String destination) {}

  /**
   * A request that was let pass had none.
   *
   * @param took how long ago it was let pass by the gate, and sent
   */
  default void failed(String destination, Duration took, Throwable error) {}
}
