package dev.pacer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Function;
import reactor.core.publisher.Flux;
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
  private final Queue<Gcra> paces = new ArrayDeque<>();
  private final Queue<Sinks.One<Boolean>> offered = new ArrayDeque<>();
  private Function<Claim, Mono<Grant>> answer = this::later;
  private Function<Refund, Mono<Boolean>> accept = refund -> later(offered);

  private Mono<Grant> later(Claim claim) {
    paces.add(claim.gcra());
    return later(asked);
  }

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
    Grant grant = new Grant(permits, waitNanos, start, paces.remove(), seq, false, Cooldown.NONE, 0);
    asked.remove().tryEmitValue(grant).orThrow();
  }

  /** Refuses the oldest open claim, with its interval widened. */
  void refuseWidened(long waitNanos, int widening) {
    Cooldown cooldown = new Cooldown(0, 0, 1, widening);
    Grant grant = new Grant(0, waitNanos, 0, paces.remove().widened(widening), 0, false, cooldown, 0);
    asked.remove().tryEmitValue(grant).orThrow();
  }

  /** Refuses the oldest open claim, because somebody else was told to stop. */
  void refuseShut(long shutNanos) {
    Grant grant = new Grant(0, shutNanos, 0, paces.remove(), 0, false, new Cooldown(shutNanos, 1, 1, 0), 0);
    asked.remove().tryEmitValue(grant).orThrow();
  }

  void refuse(long waitNanos) {
    grant(0, waitNanos, 0, 0);
  }

  void fail(Throwable error) {
    paces.remove();
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
  public Mono<Standing> peek(String key) {
    return Mono.just(new Standing(0, Cooldown.NONE));
  }

  @Override
  public Mono<Cooldown> coolDown(Stop stop) {
    return Mono.just(Cooldown.NONE);
  }

  @Override
  public Mono<Cooldown> relax(Relief relief) {
    return Mono.just(Cooldown.NONE);
  }

  @Override
  public Flux<Notice> notices() {
    return Flux.never();
  }

  @Override
  public Mono<Void> close() {
    return Mono.fromRunnable(() -> closed = true);
  }
}
