package dev.pacer;

import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;

/**
 * The end of one cooldown in one process: a signal that is given once, by one timer, when the gate opens. A
 * cooldown that has become longer keeps it; the timer finds that out when it rings.
 *
 * <p>Who subscribes to the signal itself must be few: each costs a copy of all the others, and is called on the
 * timer's thread. The lane is one; the onlookers are another, all together, and each of them can come and leave
 * without touching the rest. Thread-safe, but for {@link #join}: that is for the lane's steps.
 */
final class Opening {

  private final Settings settings;
  private final AtomicReference<Term> term;
  private final Sinks.One<Void> signal = Sinks.one();
  private final Set<MonoSink<Void>> onlookers = ConcurrentHashMap.newKeySet();
  private final Disposable.Swap timer = Disposables.swap();

  /** When it is to be, and whether it has been. */
  private record Term(long until, boolean over) {}

  Opening(Settings settings, long until) {
    this.settings = settings;
    this.term = new AtomicReference<>(new Term(until, false));
  }

  /** Puts it off until then; false if the signal has been given, and what is shut now is another cooldown. */
  boolean lasts(long until) {
    return !term.updateAndGet(term -> term.over() ? term : new Term(until, false)).over();
  }

  /** Sets the timer; {@code afterwards} is run when the signal has been given. */
  void await(Runnable afterwards) {
    signal.asMono().subscribe(none -> {}, error -> afterwards.run(), afterwards);
    signal
        .asMono()
        .publishOn(settings.handover().scheduler()) // they may be many, and the timer has more to do
        .subscribe(none -> {}, this::fail, () -> onlookers.forEach(MonoSink::success));
    arm(term());
  }

  private Term term() {
    return Objects.requireNonNull(term.get()); // it never is
  }

  private void fail(Throwable error) {
    onlookers.forEach(onlooker -> onlooker.error(error));
  }

  private void arm(Term term) {
    long wait = Math.max(0, term.until() - settings.now());
    try {
      timer.replace(settings.timer().schedule(this::ring, wait, TimeUnit.NANOSECONDS));
    } catch (RejectedExecutionException disposed) { // it will never ring
      end(disposed);
    }
  }

  private void ring() {
    long now = settings.now();
    Term rung = term.updateAndGet(due -> due.until() - now > 0 ? due : new Term(due.until(), true));
    if (rung.over()) {
      give(null);
    } else {
      arm(rung); // it has been put off
    }
  }

  /** Gives the signal, if it has not been given: the gate is open, or nobody will know when it is. */
  void end(@Nullable Throwable reason) {
    term.updateAndGet(due -> new Term(due.until(), true));
    give(reason);
  }

  private void give(@Nullable Throwable reason) {
    timer.dispose();
    if (reason == null) {
      signal.tryEmitEmpty();
    } else {
      signal.tryEmitError(reason);
    }
  }

  /** Somebody wants to be told. */
  void join(MonoSink<Void> onlooker) {
    onlookers.add(onlooker);
    onlooker.onDispose(() -> onlookers.remove(onlooker)); // also if it has been cancelled before
    if (term().over()) { // and perhaps nobody looks at the set any more
      signal.asMono().subscribe(none -> {}, onlooker::error, onlooker::success);
    }
  }

  /** How many wait to be told. */
  int onlookers() {
    return onlookers.size();
  }
}
