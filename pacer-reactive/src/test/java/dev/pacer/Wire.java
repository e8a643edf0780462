package dev.pacer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The way from one process to a shared cursor: it takes its time, and can be cut, or swallow what is sent. The shared
 * clock is far from this process's.
 */
final class Wire extends Wrapped {

  /** What 2026 looks like in nanoseconds, so that the two clocks cannot be mistaken for each other. */
  static final long SHARED_CLOCK = 1_790_000_000_000_000_000L;

  enum State {
    UP,
    CUT,
    /** What is sent does not arrive. */
    SILENT,
    /** What is sent arrives when the wire is up again. */
    STUCK,
    /** What is sent arrives, and its answer only when the wire is up again. */
    HELD
  }

  final List<Claim> claims = new ArrayList<>();
  final List<Refund> refunds = new ArrayList<>();
  final List<Stop> stops = new ArrayList<>();
  State state = State.UP;
  int checkIns;
  int processes = 3;
  CursorException cause = new CursorException("cut", null, CursorException.Extent.ALL);
  @Nullable String badKey;
  private final List<Runnable> held = new ArrayList<>();
  private final Duration oneWay;
  private final Scheduler clock;

  Wire(Cursor cursor, Duration oneWay, Scheduler clock) {
    super(cursor);
    this.oneWay = oneWay;
    this.clock = clock;
  }

  void up() {
    state = State.UP;
    List<Runnable> answers = List.copyOf(held);
    held.clear();
    answers.forEach(Runnable::run);
  }

  private <T> Mono<T> over(String key, Supplier<Mono<T>> question) {
    return Mono.delay(oneWay, clock)
        .flatMap(
            there ->
                state == State.CUT || key.equals(badKey)
                    ? Mono.error(cause)
                    : state == State.SILENT
                        ? Mono.never()
                        : state == State.STUCK ? hold(there).then(question.get()) : question.get())
        .flatMap(answer -> Mono.delay(oneWay, clock).then(state == State.HELD ? hold(answer) : Mono.just(answer)));
  }

  private <T> Mono<T> hold(T answer) {
    return Mono.create(sink -> held.add(() -> sink.success(answer)));
  }

  @Override
  public Mono<Grant> take(Claim claim) {
    return Mono.defer(
        () -> {
          claims.add(claim);
          return over(claim.key(), () -> super.take(claim));
        });
  }

  @Override
  public Mono<Boolean> giveBack(Refund refund) {
    return Mono.defer(
        () -> {
          refunds.add(refund);
          return over(refund.key(), () -> super.giveBack(refund));
        });
  }

  @Override
  public Mono<Standing> peek(String key) {
    return over(key, () -> super.peek(key));
  }

  @Override
  public Mono<Cooldown> coolDown(Stop stop) {
    return Mono.defer(
        () -> {
          stops.add(stop);
          return over(stop.key(), () -> super.coolDown(stop));
        });
  }

  @Override
  public Mono<Cooldown> relax(Relief relief) {
    return over(relief.key(), () -> super.relax(relief));
  }

  @Override
  public Mono<Fleet> checkIn(long memoryNanos) {
    return Mono.defer(
        () -> {
          checkIns++;
          return over("", () -> super.checkIn(memoryNanos)).map(fleet -> new Fleet(processes, fleet.clock()));
        });
  }

  /** A row stays, whoever has forgotten it. */
  @Override
  public void forget(String key) {}
}
