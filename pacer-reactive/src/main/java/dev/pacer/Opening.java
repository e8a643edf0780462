package dev.pacer;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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
  private final LongSupplier shutUntil;
  private final Sinks.One<Void> signal = Sinks.one();
  private final Set<MonoSink<Void>> onlookers = ConcurrentHashMap.newKeySet();
  private final Disposable.Swap timer = Disposables.swap();
  private volatile boolean over;

  Opening(Settings settings, LongSupplier shutUntil) {
    this.settings = settings;
    this.shutUntil = shutUntil;
  }

  /** Sets the timer; {@code afterwards} is run when the signal has been given. */
  void await(Runnable afterwards) {
    signal.asMono().subscribe(none -> {}, error -> afterwards.run(), afterwards);
    signal
        .asMono()
        .publishOn(settings.handover().scheduler()) // they may be many, and the timer has more to do
        .subscribe(none -> {}, this::fail, () -> onlookers.forEach(MonoSink::success));
    arm();
  }

  private void fail(Throwable error) {
    onlookers.forEach(onlooker -> onlooker.error(error));
  }

  private void arm() {
    long wait = Math.max(0, shutUntil.getAsLong() - settings.now());
    try {
      timer.replace(settings.timer().schedule(this::ring, wait, TimeUnit.NANOSECONDS));
    } catch (RejectedExecutionException disposed) { // it will never ring
      end(disposed);
    }
  }

  private void ring() {
    if (shutUntil.getAsLong() - settings.now() > 0) {
      arm();
    } else {
      end(null);
    }
  }

  /** Gives the signal, if it has not been given: the gate is open, or nobody will know when it is. */
  void end(@Nullable Throwable reason) {
    over = true;
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
    if (over) { // and perhaps nobody looks at the set any more
      signal.asMono().subscribe(none -> {}, onlooker::error, onlooker::success);
    }
  }

  /** How many wait to be told. */
  int onlookers() {
    return onlookers.size();
  }
}
