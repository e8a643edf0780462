package dev.pacer;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The gate of one key in one process: what this process knows of it, what it tells the cursor of it, and how
 * the lane and others hear that it has opened.
 *
 * <p>What somebody has to say of the gate takes hold in a step of its lane, so by one thread at a time, and
 * whoever asks is answered by what the last step left. Only a stop is felt before: {@link #isShut()} counts
 * those that are still on their way. What a step learns here, the lane obeys in the same step.
 *
 * <p>A cooldown, however long it becomes, has one {@link Opening}. Its signal makes the lane step, and so there
 * is always a step after it, which begins another one if the gate has been shut again meanwhile.
 */
final class LaneGate {

  private static final Logger log = LoggerFactory.getLogger(Pacer.class);
  private static final long FIGURE_LIMIT = TimeUnit.DAYS.toNanos(366);
  private static final long UNTOLD = TimeUnit.SECONDS.toNanos(1);
  private static final long STRAINED = TimeUnit.MINUTES.toNanos(10);

  private final String key;
  private final Settings settings;
  private final Steps steps;
  private final BooleanSupplier pacerClosed;
  private final AtomicInteger stopping = new AtomicInteger();
  private volatile Gate known;
  private volatile int ownWidening;

  // all below is touched in the lane's steps alone
  private int telling;
  private int clean;
  private int saidWidening;
  private long neededUntil;
  private @Nullable Opening opening;

  LaneGate(String key, Settings settings, Steps steps, BooleanSupplier pacerClosed) {
    this.key = key;
    this.settings = settings;
    this.steps = steps;
    this.pacerClosed = pacerClosed;
    this.known = Gate.open(settings.now());
    this.neededUntil = known.shutUntil();
  }

  GateState state(long now) {
    return known.state(ownWidening, now);
  }

  Gate known() {
    return known;
  }

  long shutUntil() {
    return known.shutUntil();
  }

  /** How much this process alone widens the interval. */
  int ownWidening() {
    return ownWidening;
  }

  boolean isStrained() {
    return known.isStrained() || ownWidening > 0;
  }

  boolean isShut(long now) {
    return known.isShut(now);
  }

  /** Whether calls must not go, also because of a stop that has only just come. */
  boolean isShut() {
    return stopping.get() > 0 || isShut(settings.now());
  }

  /** Whether the cursor has not answered yet to what it was told of this gate. */
  boolean isTelling() {
    return telling > 0;
  }

  /** Until when something is known here that a new lane would not know. */
  long neededUntil() {
    return neededUntil;
  }

  /**
   * The vendor said stop, for so long or without a figure, to a call that was sent in that generation. From here
   * on nothing goes, even if some other thread is busy with the lane.
   */
  boolean stop(@Nullable Duration retryAfter, long sentIn) {
    long figure = retryAfter == null ? Cursor.Stop.NO_FIGURE : Pacer.Builder.nanos(retryAfter, FIGURE_LIMIT);
    boolean shuts = figure >= 0 || known.isFresh(sentIn, settings.now());
    stopping.addAndGet(shuts ? 1 : 0);
    return steps.run(
        () -> {
          stopped(figure, sentIn);
          stopping.addAndGet(shuts ? -1 : 0);
        });
  }

  /** A call that was sent in that generation had a good answer. */
  void succeeded(long sentIn) {
    steps.run(() -> relax(sentIn));
  }

  /** The cursor says so. */
  void heard(Cursor.Cooldown cooldown) {
    steps.run(() -> learn(cooldown, settings.now()));
  }

  /** Some notice may have been missed, and nobody is about to ask. */
  void refresh() {
    settings.cursor().peek(key).subscribe(standing -> heard(standing.cooldown()), unknown -> {});
  }

  /**
   * Completes when the gate opens, on the pacer's scheduler, or with an error there if the pacer closes before.
   * In a step, and so after every stop of before.
   */
  Mono<Void> whenOpen() {
    return Mono.<Void>create(
            onlooker -> {
              if (!steps.run(() -> look(onlooker))) {
                dismiss(onlooker); // no lane retires while its gate is shut, unless the pacer closes
              }
            })
        .publishOn(settings.handover().scheduler());
  }

  private void look(MonoSink<Void> onlooker) {
    watch(settings.now());
    if (opening == null) {
      dismiss(onlooker);
    } else {
      opening.join(onlooker);
    }
  }

  private void dismiss(MonoSink<Void> onlooker) {
    if (pacerClosed.getAsBoolean()) {
      onlooker.error(new PacerClosedException(key));
    } else {
      onlooker.success();
    }
  }

  /** Sees to it that the lane steps when the gate opens. */
  void watch(long now) {
    if (pacerClosed.getAsBoolean()) {
      end();
    } else if (isShut(now) && (opening == null || !opening.lasts(shutUntil()))) {
      Opening next = new Opening(settings, shutUntil());
      opening = next;
      next.await(() -> steps.run(() -> over(next)));
    }
  }

  private void over(Opening ended) {
    opening = ended.equals(opening) ? null : opening;
  }

  /** The lane is about to go: its gate is open, or the pacer closed. */
  void end() {
    if (opening != null) {
      opening.end(pacerClosed.getAsBoolean() ? new PacerClosedException(key) : null);
      opening = null;
    }
  }

  /** Shut at once, with what is known here; how long in the end, only the key's row knows. */
  private void stopped(long figure, long sentIn) {
    long now = settings.now();
    Backoff backoff = settings.backoff();
    boolean fresh = known.isFresh(sentIn, now);
    long least = figure >= 0 ? Math.max(figure, backoff.least().toNanos()) : fresh ? backoff.first().toNanos() : 0;
    Gate stopped = known.reaching(sentIn).stop(least, figure, fresh, now);
    if (!fresh && stopped.shutUntil() == known.shutUntil()) {
      return; // one of many answers that say the same: nobody needs to hear of it
    }
    if (fresh && !backoff.shared()) {
      ownWidening = Math.min(ownWidening + 1, backoff.widest());
    }
    become(stopped, !isShut(now), now);
    long jitter = ThreadLocalRandom.current().nextLong(backoff.jitter().toNanos() + 1);
    tellCursor(new Cursor.Stop(key, figure, sentIn, jitter, backoff));
  }

  /** Until it has been told, or is over; a cursor that is away hears of it when it is back. */
  private void tellCursor(Cursor.Stop stop) {
    telling++;
    Mono.defer(() -> settings.cursor().coolDown(stop))
        .defaultIfEmpty(Cursor.Cooldown.NONE)
        .subscribe(cooldown -> steps.run(() -> told(cooldown)), unheard -> steps.run(() -> untold(stop)));
  }

  private void told(Cursor.Cooldown cooldown) {
    telling--;
    learn(cooldown, settings.now());
  }

  private void untold(Cursor.Stop stop) {
    telling--;
    if (!pacerClosed.getAsBoolean()) {
      settings.timer().schedule(() -> steps.run(() -> tellAgain(stop)), UNTOLD, TimeUnit.NANOSECONDS);
    }
  }

  private void tellAgain(Cursor.Stop stop) {
    long left = shutUntil() - settings.now();
    if (left > 0) {
      tellCursor(new Cursor.Stop(key, left, stop.sentIn(), stop.jitterNanos(), stop.backoff()));
    }
  }

  /**
   * In a step. The same cooldown again, of which this process's clock thought that it was over, is no new one.
   */
  void learn(Cursor.Cooldown cooldown, long now) {
    Gate next = known.learn(cooldown, now);
    become(next, !isShut(now) && next.generation() != known.generation(), now);
  }

  private void become(Gate next, boolean fresh, long now) {
    Gate before = known;
    known = next;
    clean = next.generation() == before.generation() ? clean : 0;
    if (isStrained()) {
      neededUntil = later(neededUntil, now + STRAINED);
    }
    sayWidening();
    if (next.isShut(now) && next.shutUntil() != before.shutUntil()) {
      neededUntil = later(neededUntil, next.shutUntil());
      settings.listener().shut(key, Duration.ofNanos(next.shutUntil() - now), next.strikes(), fresh);
    }
  }

  private void relax(long sentIn) {
    Backoff backoff = settings.backoff();
    if (!known.isFresh(sentIn, settings.now()) || !isStrained()) {
      return;
    }
    clean++;
    int narrower = clean >= backoff.cleanRun() ? 1 : 0;
    if (narrower == 0 && known.strikes() == 0) {
      return;
    }
    clean = narrower > 0 ? 0 : clean;
    ownWidening = Math.max(0, ownWidening - narrower);
    Cursor.Relief relief = new Cursor.Relief(key, known.generation(), narrower);
    known = known.relaxed(narrower);
    sayWidening();
    Mono.defer(() -> settings.cursor().relax(relief)).subscribe(this::heard, unheard -> {});
  }

  private void sayWidening() {
    int widening = known.widening() + ownWidening;
    if (widening == saidWidening) {
      return;
    }
    saidWidening = widening;
    if (widening == 0) {
      log.debug("\"{}\" goes at its pace again", key);
    } else {
      log.debug("\"{}\" goes slower: its interval is up to {} times as long", key, 1L << Math.min(widening, 62));
    }
  }

  private static long later(long a, long b) {
    return a - b > 0 ? a : b;
  }
}
