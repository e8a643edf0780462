package dev.pacer;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Whether this process is in contact with the shared cursor.
 *
 * <pre>
 *   never met ──answer──▶ in contact ◀──answer── ─┐
 *       │                     │                    │ check-in, one per latch
 *       └─────────lost────────┴──────▶ lost ───────┘
 * </pre>
 *
 * <p>In contact it checks in with each heartbeat; while it is lost, once per latch, and that is the only question
 * which is asked. So an outage costs one attempt per latch, whatever the number of calls. Thread-safe.
 */
final class Contact {

  private final Cursor cursor;
  private final Fallback settings;
  private final Scheduler timer;
  private final LongSupplier clock;
  private final Ears ears;
  private final AtomicReference<@Nullable Outage> outage = new AtomicReference<>();
  private final Disposable.Swap next = Disposables.swap();
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile boolean met;
  private volatile boolean paused;
  private volatile boolean slow;
  private volatile long lastAskedAt;

  /** @param toldWhy whether it was said that the cursor is there, and why it is of no use */
  private record Outage(Throwable why, long since, AtomicLong claims, AtomicBoolean toldWhy) {
    Outage(Throwable why, long since) {
      this(why, since, new AtomicLong(), new AtomicBoolean());
    }
  }

  /** Who is told of it. */
  interface Ears {

    /** Also of a failure for another reason, which does not pass by itself. */
    void lost(Throwable why);

    /** What a check-in brought, and when that was asked for. */
    void checkedIn(Cursor.Fleet fleet, long askedAt);

    /** After so long, in which so many claims were served without the cursor. */
    void back(Duration away, long claims);
  }

  Contact(Cursor cursor, Fallback settings, Scheduler timer, LongSupplier clock, Ears ears) {
    this.cursor = cursor;
    this.settings = settings;
    this.timer = timer;
    this.clock = clock;
    this.ears = ears;
  }

  boolean isLost() {
    return outage.get() != null;
  }

  Throwable whyLost() {
    Outage present = outage.get();
    return present == null ? new CursorException("The cursor was away until a moment ago", null) : present.why();
  }

  /** Whether there was ever an answer. */
  boolean hasMet() {
    return met;
  }

  /** A claim was served without the cursor. */
  void didWithout() {
    Outage present = outage.get();
    if (present != null) {
      present.claims().incrementAndGet();
    }
  }

  /** The cursor has answered a claim; the first time, it is worth checking in. */
  void answered() {
    if (!met) {
      met = true;
      if (!isLost()) {
        checkIn();
      }
    }
  }

  void lost(Throwable why) {
    if (!next.isDisposed() && !paused && outage.compareAndSet(null, new Outage(why, now()))) {
      ears.lost(why);
      checkInAfter(settings.latch());
    }
  }

  /** An answer has come after all: there is no need to wait for the end of the latch. */
  void answeredLate() {
    if (isLost() && !asking.get()) {
      checkInAfter(Duration.ZERO);
    }
  }

  /** There is something to tell, for which a heartbeat may be far away. */
  void checkInSoon() {
    if (!isLost() && (settings.heartbeat().isZero() || settings.heartbeat().compareTo(settings.latch()) > 0)) {
      checkInAfter(settings.latch());
    }
  }

  boolean isPaused() {
    return paused;
  }

  /** Asks nothing and believes nothing until it goes on. */
  void pause() {
    paused = true;
    next.update(Disposables.single());
  }

  /** Ends a pause: whatever was known before may be old. */
  void goOn() {
    if (paused) {
      paused = false;
      checkIn();
    }
  }

  void close() {
    next.dispose();
  }

  private void checkIn() {
    long askedAt = now();
    lastAskedAt = askedAt;
    asking.set(true);
    checkInAfter(settings.latch().plus(settings.patience())); // an answer may never come
    Mono.defer(() -> cursor.checkIn(settings.memoryNanos()))
        .defaultIfEmpty(new Cursor.Fleet(0, 0))
        .subscribe(fleet -> checkedIn(fleet, askedAt), this::failed);
  }

  private void checkedIn(Cursor.Fleet fleet, long askedAt) {
    met = true;
    asking.set(false);
    if (now() - askedAt > settings.patience().toNanos()) {
      tooSlow(askedAt);
      return;
    }
    slow = false;
    checkInWithTheNextBeat();
    ears.checkedIn(fleet, askedAt);
    Outage ended = outage.getAndSet(null);
    if (ended != null) {
      ears.back(Duration.ofNanos(now() - ended.since()), ended.claims().get());
    }
  }

  /** It was under way for too long to say how the two clocks stand now. */
  private void tooSlow(long askedAt) {
    if (askedAt == lastAskedAt) { // else there is another one under way
      checkInAfter(slow ? settings.latch() : Duration.ZERO);
      slow = true;
    }
  }

  private void failed(Throwable error) {
    asking.set(false);
    Outage present = outage.get();
    if (present != null) {
      if (CursorException.of(error) == CursorException.Extent.CALL && present.toldWhy().compareAndSet(false, true)) {
        ears.lost(error);
      }
      checkInAfter(settings.latch());
    } else if (CursorException.of(error) == CursorException.Extent.ALL) {
      lost(error);
    } else {
      checkInWithTheNextBeat();
    }
  }

  private void checkInWithTheNextBeat() {
    if (settings.heartbeat().isZero()) {
      next.update(Disposables.single());
    } else {
      checkInAfter(settings.heartbeat());
    }
  }

  private void checkInAfter(Duration delay) {
    if (next.isDisposed() || paused) {
      return;
    }
    try {
      next.update(timer.schedule(this::checkIn, delay.toNanos(), TimeUnit.NANOSECONDS));
    } catch (RejectedExecutionException disposed) {
      next.dispose(); // whoever disposed of the timer wants no more of this
    }
  }

  private long now() {
    return clock.getAsLong();
  }
}
