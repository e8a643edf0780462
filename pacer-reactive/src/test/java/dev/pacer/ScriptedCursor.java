package dev.pacer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A cursor that says what a test tells it to, when the test tells it to. Claims and refunds that have no answer
 * yet wait for one.
 */
final class ScriptedCursor implements Cursor {

  final List<Claim> claims = new ArrayList<>();
  final List<Refund> refunds = new ArrayList<>();
  boolean closed;

  private final Queue<Sinks.One<Grant>> asked = new ArrayDeque<>();
  private final Queue<Sinks.One<Boolean>> offered = new ArrayDeque<>();
  private Function<Claim, Mono<Grant>> answer = claim -> later(asked);
  private Function<Refund, Mono<Boolean>> accept = refund -> later(offered);

  private static <T> Mono<T> later(Queue<Sinks.One<T>> open) {
    Sinks.One<T> sink = Sinks.one();
    open.add(sink);
    return sink.asMono();
  }

  /** Answers all claims from now on at once. */
  ScriptedCursor answers(Function<Claim, Mono<Grant>> answer) {
    this.answer = answer;
    return this;
  }

  ScriptedCursor accepts(Function<Refund, Mono<Boolean>> accept) {
    this.accept = accept;
    return this;
  }

  /** Answers the oldest open claim. */
  void grant(long permits, long waitNanos, long start, long seq) {
    asked.remove().tryEmitValue(new Grant(permits, waitNanos, start, seq, false, 0)).orThrow();
  }

  void refuse(long waitNanos) {
    grant(0, waitNanos, 0, 0);
  }

  void fail(Throwable error) {
    asked.remove().tryEmitError(error).orThrow();
  }

  /** Answers the oldest open refund. */
  void accept(boolean back) {
    offered.remove().tryEmitValue(back).orThrow();
  }

  int openClaims() {
    return asked.size();
  }

  int openRefunds() {
    return offered.size();
  }

  Claim lastClaim() {
    return claims.get(claims.size() - 1);
  }

  @Override
  public Mono<Grant> take(Claim claim) {
    return Mono.defer(
        () -> {
          claims.add(claim);
          return answer.apply(claim);
        });
  }

  @Override
  public Mono<Boolean> giveBack(Refund refund) {
    return Mono.defer(
        () -> {
          refunds.add(refund);
          return accept.apply(refund);
        });
  }

  @Override
  public Mono<Long> peek(String key) {
    return Mono.just(0L);
  }

  @Override
  public Mono<Void> close() {
    return Mono.fromRunnable(() -> closed = true);
  }
}
