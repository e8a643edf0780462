package dev.pacer;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * A call that waits: all that a subscription costs. Its state is the superclass.
 *
 * <pre>
 *   NEW ──request──▶ WAITING ──slot due, or refused──▶ LEAVING ──handed over──▶ DONE
 *    │                  │                                 │
 *    └────cancel────────┴─────────────cancel──────────────┴──▶ DONE   (its slot goes to the next call)
 * </pre>
 */
final class Waiter extends AtomicInteger implements Subscription {

  private static final int NEW = 0;
  private static final int WAITING = 1;
  private static final int LEAVING = 2;
  private static final int DONE = 3;

  final Reservation reservation;

  /** When it was asked for, and by when it must be served; set before its lane sees it. */
  long since;

  long deadline;

  /** How many claims its lane had sent when it came; used in the lane's drain only. */
  long claimsBefore;

  /** Whether it waits in its lane; used in the lane's drain only. */
  boolean admitted;

  private final CoreSubscriber<? super Duration> actual;
  private volatile @Nullable Lane lane;
  private Run.@Nullable Slot slot;
  private @Nullable Throwable error;

  Waiter(CoreSubscriber<? super Duration> actual, Reservation reservation) {
    this.actual = actual;
    this.reservation = reservation;
  }

  /** Nothing is reserved before the subscriber wants something. */
  @Override
  public void request(long n) {
    if (Operators.validate(n) && compareAndSet(NEW, WAITING)) {
      reservation.submit(this);
    }
  }

  @Override
  public void cancel() {
    int before = getAndSet(DONE);
    if (before == WAITING || (before == LEAVING && slot != null)) {
      reservation.cancelled();
    }
    Lane mine = lane;
    if (before == WAITING && mine != null) {
      mine.cancelled(this);
    }
  }

  void joins(Lane lane) {
    this.lane = lane;
  }

  int permits() {
    return reservation.call.permits();
  }

  Priority priority() {
    return reservation.call.priority();
  }

  /** Whether it waits no more. */
  boolean hasLeft() {
    return get() > WAITING;
  }

  /** Leaves with a slot; false if it was cancelled before. */
  boolean leaves(Run.Slot slot) {
    this.slot = slot;
    return compareAndSet(WAITING, LEAVING);
  }

  /** Leaves with an error; false if it was cancelled before. */
  boolean leaves(Throwable error) {
    this.slot = null;
    this.error = error;
    return compareAndSet(WAITING, LEAVING);
  }

  /** Whether it had a slot, but its gate was shut in the last moment: it waits again, in front. */
  boolean comesBack() {
    return slot != null;
  }

  /** Whether it comes back too, from an earlier slot. */
  boolean comesBackBefore(Waiter other) {
    Run.Slot mine = slot;
    Run.Slot others = other.slot;
    return mine != null && others != null && mine.place() - others.place() < 0;
  }

  /** Whether the gate is shut now: its own lane may have retired since it left. */
  private boolean isShut(Lane mine) {
    return mine.gate().isShut() || (mine.hasRetired() && reservation.isShut());
  }

  /** Lets the call go on, or fail, on this thread. */
  void handOver(Settings settings) {
    Run.Slot slot = this.slot;
    Lane mine = lane;
    boolean shut = slot != null && mine != null && isShut(mine);
    boolean back = shut && compareAndSet(LEAVING, WAITING);
    boolean goes = !back && compareAndSet(LEAVING, DONE);
    if (slot != null && mine != null) {
      mine.gone(goes, slot);
    }
    if (back) {
      settings.listener().lost(reservation.key, permits());
      reservation.rejoin(this);
    } else if (!goes) {
      if (slot != null && mine != null) {
        mine.returned(this, slot);
      }
    } else if (slot == null) {
      Throwable reason = error;
      actual.onError(reason != null ? reason : new IllegalStateException("left without a reason"));
    } else {
      long now = settings.now();
      Duration waited = Duration.ofNanos(Math.max(0, now - since));
      settings.listener().released(reservation.key, waited, Duration.ofNanos(Math.max(0, now - slot.due())));
      actual.onNext(waited);
      actual.onComplete();
    }
  }
}
