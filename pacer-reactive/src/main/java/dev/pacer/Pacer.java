package dev.pacer;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Paces calls per key: {@code pacer.reserve("images.example.com").then(fetch)}.
 *
 * <p>All pacers that share a {@link Cursor} share the ceiling, whatever process or machine they are in. With
 * the built-in in-process cursor, the ceiling is this pacer's own.
 *
 * <p>While a call waits it holds no thread, no connection, no lock and no transaction. Callers go on on the
 * pacer's {@linkplain Builder#scheduler scheduler}; one that an in-process cursor lets through at once goes on
 * where it subscribed.
 *
 * <p>Thread-safe. Create one per application, and {@link #close} it at the end.
 */
public final class Pacer implements AutoCloseable {

  private final Settings settings;
  private final Cursor cursor;
  private final long maxWait;
  private final Duration closeGrace;
  private final boolean ownsTimer;
  private final Disposable notices;
  private final ConcurrentHashMap<String, Lane> lanes = new ConcurrentHashMap<>();
  private final Sinks.Empty<Void> closed = Sinks.empty();
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

  private static final Cursor.Standing IDLE = new Cursor.Standing(0, Cursor.Cooldown.NONE);

  private enum State {
    OPEN,
    DRAINING,
    ENDING,
    CLOSED
  }

  private Pacer(Builder builder) {
    Scheduler given = builder.scheduler;
    Scheduler timer = given == null ? Schedulers.newSingle("pacer-timer", /* daemon= */ true) : given;
    GuardedListener listener = new GuardedListener(builder.listener);
    this.cursor = cursor(builder, timer, listener);
    this.settings =
        new Settings(
            cursor,
            new Paces(builder.paces, builder.paceFunction, builder.defaultPace),
            timer,
            new Handover(given == null ? Schedulers.parallel() : given),
            listener,
            new RoundTrips(builder.quantum.toNanos()),
            builder.backoff,
            new Suspension(),
            builder.quantum.toNanos(),
            builder.longestWait.toNanos());
    this.maxWait = builder.maxWait.toNanos();
    this.closeGrace = builder.closeGrace;
    this.ownsTimer = given == null;
    this.notices = cursor.notices().subscribe(this::heard, deaf -> {});
  }

  private static Cursor cursor(Builder builder, Scheduler timer, PacerListener listener) {
    Cursor shared = builder.cursor;
    Fallback fallback = builder.fallback;
    return shared == null
        ? new LocalCursor(timer)
        : fallback == null ? shared : new FallbackCursor(shared, fallback, timer, listener);
  }

  public static Builder builder() {
    return new Builder();
  }

  /** {@link #reserve(String, Call)} of one permit, at normal priority, with the pacer's own wait budget. */
  public Mono<Duration> reserve(String key) {
    return reserve(key, Call.ONE);
  }

  /**
   * Waits for a slot. Cold: nothing happens before a subscriber asks for the value, and each subscription
   * takes a slot of its own. Emits when the slot is due, never before: how long this subscription waited.
   *
   * <p>Cancelling ends the wait at once and costs nothing; the slot goes to the next waiting call, or back to
   * the cursor if nobody has booked behind it.
   *
   * <p>Errors, none of which have taken a slot:
   *
   * <ul>
   *   <li>{@link RateLimitedException} as soon as it is certain that the call cannot be served within its wait
   *       budget
   *   <li>{@link IllegalArgumentException} for a key that is none, has no pace, or a call that costs more than
   *       the burst
   *   <li>{@link CursorException} if the cursor refuses this very call, or cannot be asked and there is {@linkplain
   *       Builder#noFallback no fallback}
   *   <li>{@link PacerClosedException}
   * </ul>
   *
   * @param key 1 to 512 characters of text, without NUL
   */
  public Mono<Duration> reserve(String key, Call call) {
    try {
      return new Reservation(this, Keys.check(key), Builder.given("call", call));
    } catch (IllegalArgumentException refused) {
      return Mono.error(refused);
    }
  }

  /** For {@code mono.transformDeferred(...)}: each subscription to the result reserves before it subscribes. */
  public <T> Function<Mono<T>, Mono<T>> pacedMono(String key) {
    return source -> reserve(key).then(source);
  }

  /**
   * For {@code flux.transformDeferred(...)}: each subscription to the result reserves before it subscribes.
   * What is paced is the subscription, not the elements.
   */
  public <T> Function<Flux<T>, Flux<T>> pacedFlux(String key) {
    return source -> reserve(key).thenMany(source);
  }

  /**
   * How long a call of one permit would wait if it came now, behind the calls that already wait here, as far
   * as can be known. Moves nothing, promises nothing. Cold; errors as those of {@link #reserve(String, Call)}.
   */
  public Mono<Duration> peek(String key) {
    return Mono.defer(
        () -> {
          Gcra gcra = settings.paces().of(Keys.check(key)).gcra();
          return settings
              .cursor()
              .peek(key)
              .map(standing -> wait(key, gcra, standing))
              .switchIfEmpty(Mono.fromSupplier(() -> wait(key, gcra, IDLE)));
        });
  }

  private Duration wait(String key, Gcra pace, Cursor.Standing standing) {
    Lane lane = lanes.get(key);
    int widening = standing.cooldown().widening() + (lane == null ? 0 : lane.gate().ownWidening());
    Gcra gcra = settings.cursor().paced(key, pace).widened(widening);
    long queue = lane == null ? 0 : gcra.advance(lane.beyond());
    long paced = Math.max(0, standing.aheadNanos()) - gcra.tolerance();
    long shut = Math.max(standing.cooldown().remainingNanos(), remaining(key).toNanos());
    return Duration.ofNanos(Math.max(0, Math.max(paced, shut) + queue));
  }

  /**
   * What to keep with a call, last thing before it is sent, so that its answer can be told from answers to
   * calls of before a cooldown. Null if the gate is shut: the call must not be sent, but reserve again.
   */
  public @Nullable Sent sending(String key) {
    Lane lane = lanes.get(key);
    if (lane == null) {
      return new Sent(key, Cursor.Stop.UNKNOWN);
    }
    return lane.gate().isShut() ? null : new Sent(key, lane.gate().known().generation());
  }

  /**
   * The vendor said stop (429, 503): shuts the key's gate, at once for this process, and for every other that
   * shares the cursor. Calls that wait go on when it opens, one by one.
   *
   * @param retryAfter the vendor's figure, which counts in full; null for the {@link Backoff}
   */
  public void coolDown(String key, @Nullable Duration retryAfter) {
    coolDown(new Sent(key, Cursor.Stop.UNKNOWN), retryAfter);
  }

  /** {@link #coolDown(String, Duration)}, as the answer to this call: no new strike if that was sent before. */
  public void coolDown(Sent sent, @Nullable Duration retryAfter) {
    if (retryAfter != null && retryAfter.isNegative()) {
      throw new IllegalArgumentException("retryAfter must not be negative, was " + retryAfter);
    }
    settings.paces().of(Keys.check(sent.key()));
    if (!isEnding()) {
      with(sent.key(), lane -> lane.gate().stop(retryAfter, sent.generation()));
      closeLate();
    }
  }

  /**
   * Shuts the key's gate for so long, from now on, though nobody made a mistake: for instance because a good answer
   * said that nothing is left until then. As {@link #coolDown(String, Duration)} with a figure, for every process
   * and never shortening a cooldown, but it is no strike, and does not widen the interval.
   *
   * @param length how long; zero is taken as {@link #coolDown(String, Duration)} takes a vendor's zero
   */
  public void shut(String key, Duration length) {
    if (Builder.given("length", length).isNegative()) {
      throw new IllegalArgumentException("length must not be negative, was " + length);
    }
    coolDown(new Sent(key, Cursor.Stop.NO_ANSWER), length);
  }

  /** The vendor gave a good answer: clears the strikes, and after a run of them narrows the interval again. */
  public void succeeded(String key) {
    succeeded(new Sent(key, Cursor.Stop.UNKNOWN));
  }

  /** {@link #succeeded(String)}, as the answer to this call: clears nothing if that was sent before a cooldown. */
  public void succeeded(Sent sent) {
    Lane lane = lanes.get(sent.key()); // without one there is nothing to recover from
    if (lane != null && lane.gate().isStrained()) {
      lane.gate().succeeded(sent.generation());
    }
  }

  /** Whether the shared cursor cannot be asked at present, so that this process paces itself. */
  public boolean isDegraded() {
    return cursor instanceof FallbackCursor fallback && fallback.isDegraded();
  }

  /** Whether the key's gate is shut, as far as this process knows. */
  public boolean inCooldown(String key) {
    return !remaining(key).isZero();
  }

  /** How long the key's gate stays shut, as far as this process knows; zero if it is open. */
  public Duration remaining(String key) {
    return gate(key).remaining();
  }

  /** The key's gate, as far as this process knows. */
  public GateState gate(String key) {
    Lane lane = lanes.get(key);
    long now = settings.now();
    return lane == null ? Gate.open(now).state(/* ownWidening= */ 0, now) : lane.gate().state(now);
  }

  /**
   * Waits until the key's gate is open, as far as this process knows: completes at once if it is, else when the
   * cooldown ends, however often it is extended. For whoever has something to do at that moment other than to
   * send: it takes no slot, and promises nothing about what comes after. All who wait go on together, and the
   * gate may be shut again; to send, {@link #reserve(String, Call)}, which waits for the gate by itself.
   *
   * <p>Cold: nothing is looked at before subscription. Cancelling ends the wait and leaves nothing behind. Whoever
   * had to wait goes on on the pacer's {@linkplain Builder#scheduler scheduler}. There is no wait budget: bring a
   * {@code timeout}.
   *
   * <p>Errors: {@link IllegalArgumentException} for a key that is none; {@link PacerClosedException}, also to those
   * who wait when the pacer closes (after the {@linkplain Builder#closeGrace grace}).
   */
  public Mono<Void> whenOpen(String key) {
    return Mono.defer(
        () -> {
          Lane lane = lanes.get(Keys.check(key));
          if (state.get() != State.OPEN) {
            return Mono.error(new PacerClosedException(key));
          }
          return lane != null && lane.gate().isShut() ? lane.gate().whenOpen() : Mono.empty();
        });
  }

  private void with(String key, Predicate<Lane> action) {
    Lane lane = lanes.computeIfAbsent(key, this::lane);
    while (!action.test(lane)) { // that lane has just retired
      lanes.remove(key, lane);
      lane = lanes.computeIfAbsent(key, this::lane);
    }
  }

  private void heard(Cursor.Notice notice) {
    if (settings.suspension().isOn()) {
      return; // to look would open the connection again; whoever opens it later is told to look
    }
    if (notice.equals(Cursor.Notice.ANY)) {
      lanes.values().forEach(lane -> lane.gate().refresh());
    } else {
      Lane lane = lanes.get(notice.key());
      if (lane != null) {
        lane.gate().heard(notice.cooldown());
      }
    }
  }

  /** Gives a key another pace from now on. Takes hold for the calls that already wait, within a quantum. */
  public void pace(String key, Pace pace) {
    settings.paces().set(Keys.check(key), pace);
    lanes.values().forEach(Lane::wake);
  }

  /** Changes the pace of the keys that have none by name or function. Takes hold as {@link #pace} does. */
  public void defaultPace(Pace pace) {
    settings.paces().setDefault(pace);
    lanes.values().forEach(Lane::wake);
  }

  void submit(Waiter waiter) {
    String key = waiter.reservation.key;
    Duration budget = waiter.reservation.call.maxWait();
    long now = settings.now();
    waiter.since = now;
    waiter.deadline = now + (budget == null ? maxWait : Builder.nanos(budget, settings.longestWait()));
    try {
      int burst = settings.paces().of(key).burst();
      if (waiter.permits() > burst) {
        throw tooCostly(waiter, burst);
      }
      if (state.get() != State.OPEN) {
        throw new PacerClosedException(key);
      }
    } catch (Throwable refused) {
      Exceptions.throwIfJvmFatal(refused);
      fail(waiter, refused);
      return;
    }
    enter(waiter);
  }

  /** A call had its slot, and in the last moment its gate was shut. */
  void rejoin(Waiter waiter) {
    if (isEnding()) {
      fail(waiter, new PacerClosedException(waiter.reservation.key));
    } else {
      enter(waiter);
    }
  }

  private void fail(Waiter waiter, Throwable reason) {
    waiter.leaves(reason);
    waiter.handOver(settings);
  }

  private void enter(Waiter waiter) {
    Lane lane = laneFor(waiter);
    while (lane != null && !lane.submit(waiter) && !waiter.hasLeft()) {
      lanes.remove(lane.key(), lane); // it has just retired
      lane = laneFor(waiter);
    }
    closeLate();
  }

  /** Null, and the call fails, if there is none and the user's function of paces throws. */
  private @Nullable Lane laneFor(Waiter waiter) {
    try {
      return lanes.computeIfAbsent(waiter.reservation.key, this::lane);
    } catch (Throwable refused) {
      Exceptions.throwIfJvmFatal(refused);
      fail(waiter, refused);
      return null;
    }
  }

  /** A lane that was made while the pacer closed may have missed that. */
  private void closeLate() {
    if (isEnding()) {
      lanes.values().forEach(Lane::close);
    }
  }

  /** By the lane of the moment: the one that gave a call its slot may have gone since. */
  boolean isShut(String key) {
    Lane lane = lanes.get(key);
    return lane != null && lane.gate().isShut();
  }

  void cancelled(String key) {
    settings.listener().cancelled(key);
  }

  static IllegalArgumentException tooCostly(Waiter waiter, int burst) {
    return new IllegalArgumentException(
        "permits of a call must be at most the burst of its pace (" + burst + " for \"" + waiter.reservation.key
            + "\"), were " + waiter.permits() + ": raise the burst");
  }

  private Lane lane(String key) {
    return new Lane(key, settings, this::retired, this::isEnding);
  }

  private void retired(Lane lane) {
    lanes.remove(lane.key(), lane);
    settings.cursor().forget(lane.key());
    if (state.get() == State.ENDING) {
      finish();
    } else if (state.get() == State.DRAINING && lanes.isEmpty()) {
      end();
    }
  }

  /** How many keys this pacer keeps anything for at the moment. */
  int size() {
    return lanes.size();
  }

  /**
   * Before the process is stopped for long and may go on somewhere else, as by a checkpoint: slots in hand are dropped,
   * none are taken until {@link #resume}, and connections are let go of. Calls go on waiting, and their budgets pass.
   * Cold; completes when the connections are closed. See also {@code dev.pacer.crac}.
   */
  public Mono<Void> suspend() {
    return Mono.defer(
        () -> {
          settings.suspension().begin();
          lanes.values().forEach(Lane::wake);
          return settings.cursor().suspend();
        });
  }

  /** Ends a {@link #suspend}. What connections are needed are opened by the next claims. */
  public void resume() {
    settings.suspension().end();
    lanes.values().forEach(Lane::wake);
  }

  /**
   * Closes the pacer, without blocking: refuses new calls at once, ends those that wait with a {@link
   * PacerClosedException} (after the {@linkplain Builder#closeGrace grace}, in which they may still be
   * served), gives back the slots that can be given back, and then lets go of the cursor. A second close does
   * nothing.
   */
  @Override
  public void close() {
    if (!state.compareAndSet(State.OPEN, State.DRAINING)) {
      return;
    }
    if (closeGrace.isZero() || lanes.isEmpty()) {
      end();
    } else {
      try {
        settings.timer().schedule(this::end, closeGrace.toNanos(), TimeUnit.NANOSECONDS);
      } catch (RejectedExecutionException disposed) {
        end(); // no timer, no grace
      }
    }
  }

  /** Completes when everything is closed. Subscribing closes nothing. */
  public Mono<Void> whenClosed() {
    return closed.asMono();
  }

  private void end() {
    if (state.compareAndSet(State.DRAINING, State.ENDING)) {
      lanes.values().forEach(Lane::close);
      finish();
    }
  }

  private boolean isEnding() {
    return state.get() == State.ENDING || state.get() == State.CLOSED;
  }

  private void finish() {
    if (lanes.isEmpty() && state.compareAndSet(State.ENDING, State.CLOSED)) {
      settings.cursor().close().doFinally(signal -> finished()).subscribe(done -> {}, ignored -> {});
    }
  }

  private void finished() {
    closed.tryEmitEmpty();
    notices.dispose();
    if (ownsTimer) {
      Schedulers.boundedElastic().schedule(settings.timer()::dispose); // it takes a lock, and this may be Netty's thread
    }
  }

  /** Builds a {@link Pacer}. Not thread-safe. */
  public static final class Builder {

    private static final Duration LONGEST_BUDGET = Duration.ofDays(30);

    private final Map<String, Pace> paces = new HashMap<>();
    private @Nullable Cursor cursor;
    private Function<String, @Nullable Pace> paceFunction = key -> null;
    private @Nullable Pace defaultPace;
    private Duration maxWait = Duration.ofMinutes(5);
    private Duration longestWait = Duration.ofMinutes(15);
    private Duration quantum = Duration.ofMillis(100);
    private Duration closeGrace = Duration.ZERO;
    private @Nullable Scheduler scheduler;
    private PacerListener listener = PacerListener.NONE;
    private Backoff backoff = Backoff.DEFAULT;
    private @Nullable Fallback fallback = Fallback.DEFAULT;

    private Builder() {}

    /** Where the cursors live. Default: in memory, for this pacer alone. The pacer closes it. */
    public Builder cursor(Cursor cursor) {
      this.cursor = given("cursor", cursor);
      return this;
    }

    /** The pace of one key. */
    public Builder pace(String key, Pace pace) {
      paces.put(Keys.check(key), given("pace", pace));
      return this;
    }

    /**
     * The paces of keys that have none by name. The function is asked again and again, from several threads:
     * it must be quick, and should return constants; null leaves the key to the default.
     */
    public Builder paces(Function<String, @Nullable Pace> function) {
      this.paceFunction = given("paces", function);
      return this;
    }

    /** The pace of keys that have none by name or function. Default: none, and such a key is refused. */
    public Builder defaultPace(Pace pace) {
      this.defaultPace = given("defaultPace", pace);
      return this;
    }

    /**
     * The wait budget of calls that bring none of their own. Default: 300 s. A call is refused as soon as it
     * is certain that it would have to wait longer, so the number of waiting calls is bounded by pace × budget.
     */
    public Builder maxWait(Duration maxWait) {
      this.maxWait = between("maxWait", maxWait, Duration.ZERO, LONGEST_BUDGET);
      return this;
    }

    /**
     * The longest wait budget that any call may bring, in any process that shares the cursor; longer ones are
     * cut to it. Default: 900 s. A cursor further ahead than this, and than the paces this process has had for
     * the key account for, is taken for corrupt. So it should be the same everywhere, and processes that give one
     * key different paces must not have intervals longer than this.
     */
    public Builder longestWait(Duration longestWait) {
      this.longestWait = between("longestWait", longestWait, Duration.ZERO, LONGEST_BUDGET);
      return this;
    }

    /**
     * How much time's worth of slots a process may hold for a key that are not due yet. Default: 100 ms. Longer
     * means fewer statements; shorter means that a change of pace takes hold sooner, that a crash wastes less,
     * and that processes take turns faster. Should be at least twice the round trip to the cursor.
     */
    public Builder quantum(Duration quantum) {
      this.quantum = between("quantum", quantum, Duration.ofMillis(1), Duration.ofMinutes(1));
      return this;
    }

    /** How long calls that wait may still be served after {@link Pacer#close}. Default: not at all. */
    public Builder closeGrace(Duration grace) {
      this.closeGrace = between("closeGrace", grace, Duration.ZERO, LONGEST_BUDGET);
      return this;
    }

    /**
     * On which callers go on, and whose clock and timers are used. Default: {@link Schedulers#parallel()} to
     * go on, and a daemon thread of the pacer's own for the timers.
     */
    public Builder scheduler(Scheduler scheduler) {
      this.scheduler = given("scheduler", scheduler);
      return this;
    }

    /** How gates behave. Default: {@link Backoff#DEFAULT}. */
    public Builder backoff(Backoff backoff) {
      this.backoff = backoff;
      return this;
    }

    /** What becomes of calls while the cursor cannot be asked. Default: {@link Fallback#DEFAULT}. */
    public Builder fallback(Fallback fallback) {
      this.fallback = given("fallback", fallback);
      return this;
    }

    /** Calls fail with a {@link CursorException} while the cursor cannot be asked. */
    public Builder noFallback() {
      this.fallback = null;
      return this;
    }

    /** Is told what happens. Default: nobody. */
    public Builder listener(PacerListener listener) {
      this.listener = given("listener", listener);
      return this;
    }

    /** Builds it. Nothing is connected or started yet. */
    public Pacer build() {
      if (maxWait.compareTo(longestWait) > 0) {
        longestWait = maxWait;
      }
      return new Pacer(this);
    }

    static Duration between(String name, Duration value, Duration least, Duration most) {
      if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
        throw new IllegalArgumentException(
            name + " must be at least " + least + " and at most " + most + ", was " + value);
      }
      return value;
    }

    /** A null that slips through would pace by the default, and so perhaps not at all. */
    private static <T> T given(String name, T value) {
      if (value == null) {
        throw new IllegalArgumentException(name + " must not be null");
      }
      return value;
    }

    static long nanos(Duration budget, long most) {
      return budget.compareTo(Duration.ofNanos(most)) >= 0 ? most : budget.toNanos();
    }
  }
}
