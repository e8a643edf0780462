package dev.pacer;

import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/**
 * What one process keeps for one key: its waiting calls, and the slots it holds. The two are joined only when
 * a slot falls due, so the most urgent call of that moment gets it, and a call that has left costs nothing.
 *
 * <p>Everything happens in {@link #step}, run by one thread at a time ({@link Steps}). A step takes in what has
 * come, lets go what is due, refuses what cannot be served in time, and then at most one statement is in flight:
 * a claim for the calls that have no slot, or a refund of the slots that have no call. One timer wakes the lane
 * for whatever is next, and the {@link LaneGate} when a cooldown is over.
 *
 * <p>A lane holds at most a quantum of slots that are not due yet, and asks again when half of them are used.
 * So processes take turns at the cursor, and what a crash, a new pace or a cooldown can waste is bounded.
 *
 * <p>A lane with nothing to do goes away when its cursor is in the past: from then on it knows nothing that a
 * new lane would not know.
 */
final class Lane implements Steps.Walker {

  private static final long LONGEST_LINGER = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(2);

  private final String key;
  private final Settings settings;
  private final Consumer<Lane> onRetired;
  private final BooleanSupplier pacerClosed;
  private final Steps steps;
  private final LaneGate gate;
  private final Alarm alarm;
  private final AtomicInteger leaving = new AtomicInteger(); // let go, and not gone on yet
  private volatile boolean full;
  private volatile boolean lingers; // who was let go just now may come back, and is to be in the next claim

  private final Queue<Waiter> calls = new ConcurrentLinkedQueue<>();
  private volatile boolean closed;
  private volatile long beyond;

  // all below is touched by the stepping thread alone
  private final Waiting waiting = new Waiting();
  private final Held held = new Held();
  private final Spacing spacing = new Spacing();
  private long letGoAt; // when the last call was let go
  private int burst; // of the pace itself, which says what a call may cost
  private Gcra gcra;
  private Gcra asked; // the pace that the last claim was made at
  private boolean inFlight;
  private long claimsSent;
  private long claimsAnswered;
  private boolean noMoreYet;
  private long reach; // how far ahead this lane's claims may have moved the cursor, under any pace it had
  private long floor;
  private long seq;
  private boolean refundable;
  private boolean spoilt;
  private long idleFrom;
  private int claimedIn; // which suspension, or between which, the last claim was made
  private int obeyedSuspension;
  private long obeyed; // until when the gate was shut when it was last obeyed
  private @Nullable Waiter own;
  private boolean ownLeft;
  private boolean othersLeft;

  Lane(String key, Settings settings, Consumer<Lane> onRetired, BooleanSupplier pacerClosed) {
    this.pacerClosed = pacerClosed;
    this.key = key;
    this.settings = settings;
    this.onRetired = onRetired;
    this.gcra = settings.paces().of(key).gcra();
    this.burst = gcra.burst();
    this.asked = gcra;
    this.steps = new Steps(this, settings);
    this.gate = new LaneGate(key, settings, steps, pacerClosed);
    this.alarm = new Alarm(settings.timer(), this::wake);
    this.idleFrom = settings.now() + settings.quantum();
    this.obeyed = gate.shutUntil();
    this.obeyedSuspension = settings.suspension().changes();
  }

  String key() {
    return key;
  }

  LaneGate gate() {
    return gate;
  }

  /** Whether another lane has this key now, or will have. */
  boolean hasRetired() {
    return steps.haveEnded();
  }

  /** Takes a call in; false if this lane has retired, and another one must take it. */
  boolean submit(Waiter waiter) {
    waiter.joins(this);
    calls.add(waiter);
    return steps.signal(waiter);
  }

  void cancelled(Waiter waiter) {
    calls.add(waiter);
    steps.signal(null);
  }

  /** A call left at the last moment, after it had been given its slot. */
  void returned(Waiter waiter, Run.Slot slot) {
    boolean taken =
        steps.run(
            () -> {
              held.addFirst(Run.of(slot, gcra, waiter.permits()));
              dropShut(settings.now());
            });
    if (!taken) {
      settings.listener().lost(key, waiter.permits()); // its lane has retired meanwhile
    }
  }

  /** A call that was let go goes on now, or has been cancelled. */
  void gone(boolean goes, Run.Slot slot) {
    long now = settings.now();
    int behind = leaving.decrementAndGet();
    if (goes && now - slot.due() > Spacing.SLACK) {
      steps.run(() -> spacing.delayed(now));
    } else if (full || (lingers && behind == 0)) {
      steps.signal(null);
    }
  }

  /** How many permits the waiting calls cost beyond the slots in hand; of a moment ago. */
  long beyond() {
    return beyond;
  }

  /** Looks at everything again, for instance because the pace has changed. */
  void wake() {
    steps.signal(null);
  }

  /** Ends all that wait, and gives back what can be given back. */
  void close() {
    closed = true;
    steps.signal(null);
  }

  @Override
  public boolean step(@Nullable Waiter caller) {
    own = caller;
    ownLeft = false;
    try {
      takeStock();
    } catch (RejectedExecutionException disposed) { // the timer was disposed of, and will never ring
      endAll(pacerClosed.getAsBoolean() ? new PacerClosedException(key) : disposed);
    }
    if (othersLeft) {
      othersLeft = false;
      settings.handover().start(settings);
    }
    return ownLeft;
  }

  private void takeStock() {
    alarm.heard();
    steps.hear();
    long now = settings.now();
    obey(now);
    obeySuspension();
    Throwable noPace = look();
    admit(now);
    if (noPace != null) {
      endAll(noPace);
    }
    release(now);
    giveBack(now);
    ask(now);
    refuseLate(now);
    beyond = Math.max(0, waiting.permits() - held.count());
    if (!mayRetire()) {
      alarm.set(nextEvent(now), now);
    }
  }

  /** Learns the present pace; if the user's function fails, the calls of the moment do, and not the lane. */
  private @Nullable Throwable look() {
    try {
      Gcra pace = settings.paces().of(key).gcra();
      burst = pace.burst();
      gcra = pace.widened(gate.ownWidening());
      return null;
    } catch (Throwable fault) {
      Exceptions.throwIfJvmFatal(fault);
      return fault;
    }
  }

  private void admit(long now) {
    for (Waiter waiter = calls.poll(); waiter != null; waiter = calls.poll()) {
      if (waiter.hasLeft() && waiter.admitted) {
        waiting.left(waiter); // it was cancelled
      } else if (!waiter.hasLeft() && !waiter.admitted) {
        takeIn(waiter, now);
      }
    }
    if (closed) {
      endAll(new PacerClosedException(key));
    } else if (!waiting.isEmpty()) {
      idleFrom = later(idleFrom, now + settings.quantum());
    }
  }

  private void takeIn(Waiter waiter, long now) {
    if (waiter.comesBack()) {
      waiter.claimsBefore = Math.min(waiter.claimsBefore, claimsSent); // it may come from a lane that has gone
      waiting.addBack(waiter);
      if (gate.isShut(now) && gate.shutUntil() - waiter.deadline > 0) {
        refuse(waiter, gate.shutUntil() - now, now); // it was not here when the others were told
      }
    } else {
      waiter.claimsBefore = claimsSent;
      waiting.add(waiter);
      judge(waiter, now);
    }
  }

  /** Refuses a new call that cannot be served in time even if all goes well. */
  private void judge(Waiter waiter, long now) {
    if (waiter.permits() > burst) {
      leave(waiter, Pacer.tooCostly(waiter, burst));
      return;
    }
    long permits = waiting.ahead(waiter.priority());
    long wait =
        gate.isShut(now) ? gate.shutUntil() - now + gcra.advance(permits - 1) : held.leastWait(permits, gcra, now);
    if (wait > 0 && now + wait - waiter.deadline > 0) {
      refuse(waiter, wait, now);
    }
  }

  /** When a cooldown has begun, or become longer: its slots are dropped, and who cannot wait so long is told. */
  private void obey(long now) {
    gate.watch(now);
    long until = gate.shutUntil();
    if (until == obeyed || !gate.isShut(now)) {
      return;
    }
    obeyed = until;
    dropShut(now);
    for (Waiting.Hopeless late : waiting.hopeless(until, gcra)) {
      refuse(late.waiter(), late.at() - now, now);
    }
  }

  /** Slots inside a cooldown are dropped, and taken anew after it. */
  private void dropShut(long now) {
    if (gate.isShut(now)) {
      for (Run.Slot slot = held.slot(1); slot != null && slot.due() - gate.shutUntil() < 0; slot = held.slot(1)) {
        lose(1);
      }
    }
  }

  private void release(long now) {
    if (gate.isShut(now)) {
      return;
    }
    Gcra paced = paced();
    for (Waiter head = waiting.head(); head != null || !held.isEmpty(); head = waiting.head()) {
      long permits = head == null ? 1 : head.permits();
      Run.Slot slot = held.slot(permits);
      if (slot == null) {
        if (held.inARow() == held.count()) {
          return;
        }
        lose(held.inARow()); // too few in a row for this call, and more behind a gap
        continue;
      }
      if (wentBy(now)) {
        lose(1);
        continue;
      }
      long at = spacing.earliest(slot, paced, permits);
      long overdue = Spacing.overdue(gcra, settings.quantum());
      if (later(at, now) - slot.due() + slot.age() > overdue) {
        boolean far = held.count() == 1 && gcra.advance(1) > settings.quantum();
        boolean old = later(slot.due(), now) - slot.due() + slot.age() > overdue; // else it would come back as it was
        if (far && old && canGiveBack()) {
          spoilt = true; // it is far to the next slot, and this one may be it again
          return;
        }
        lose(1);
      } else if (head == null) {
        return;
      } else if (at - now <= 0) {
        if (isFull()) {
          return;
        }
        if (leave(head, slot)) {
          leaving.incrementAndGet();
          letGoAt = now;
          held.use(permits);
          spacing.dispatched(slot, paced, permits, now);
        }
      } else if (at - head.deadline > 0) {
        refuse(head, at - now, now);
      } else {
        return;
      }
    }
  }

  /** The pace as it is under pressure: what slots of now are spaced by. */
  private Gcra paced() {
    return settings.cursor().paced(key, gcra).widened(gate.known().widening());
  }

  /** Whether the next slot fell due when nobody waited for it: who comes later gets a slot of that time. */
  private boolean wentBy(long now) {
    Run.Slot next = held.slot(1);
    return next != null && waiting.oldest(now) - next.due() > Spacing.SLACK;
  }

  /**
   * Whether so many calls have been let go and not gone on that their threads must be busy: more would only go
   * together later. Says so before it looks again, so that who goes on meanwhile signals.
   */
  private boolean isFull() {
    full = true;
    full = leaving.get() >= gcra.burst() + gcra.slotsWithin(Spacing.SLACK) - 1;
    return full;
  }

  private void lose(long permits) {
    if (permits > 0) {
      held.use(permits);
      settings.listener().lost(key, permits);
    }
  }

  private void ask(long now) {
    lingers = false;
    Waiter head = waiting.head();
    while (head != null && head.permits() > burst) { // the burst has shrunk since it came
      leave(head, Pacer.tooCostly(head, burst));
      head = waiting.head();
    }
    if (inFlight || head == null || gate.isShut(now) || settings.suspension().isOn()) {
      return;
    }
    long missing = waiting.permits() - held.count();
    long most = Math.max(1, paced().slotsWithin(settings.quantum()) - 1);
    boolean stuck = held.inARow() < head.permits();
    if (!stuck && (missing <= 0 || held.count() > most / 2 || noMoreYet)) {
      return;
    }
    if (lingers(now)) {
      return;
    }
    long inHand = stuck ? 0 : held.count(); // what is too little for the head is no use to it
    long least = waiting.isPlain() ? 1 : waiting.next(inHand);
    long ahead = Math.max(most - held.count(), least);
    long permits =
        waiting.isPlain()
            ? Math.min(missing, ahead + gcra.burst())
            : Math.max(least, waiting.whole(inHand, ahead)); // so that no grant ends in the middle of a call
    long latest = now + settings.longestWait();
    long within = waiting.earliestDeadline(inHand, permits, latest) - now;
    Gcra widest = gcra.widened(settings.backoff().sharedWidest());
    reach = Math.max(reach, widest.tolerance() + widest.advance(ahead + gcra.burst()));
    long horizon = settings.longestWait() + reach;
    Cursor.Claim claim =
        new Cursor.Claim(key, gcra, permits, least, ahead, Math.max(0, within), floor, horizon);
    inFlight = true;
    asked = paced();
    noMoreYet = false;
    claimsSent++;
    claimedIn = settings.suspension().changes();
    take(new Answer(claim, now));
  }

  private void take(Answer answer) {
    Mono<Cursor.Grant> grant;
    try {
      grant = Objects.requireNonNull(settings.cursor().take(answer.claim), "the cursor's take returned null");
    } catch (Throwable fault) {
      Exceptions.throwIfJvmFatal(fault);
      grant = Mono.error(fault);
    }
    grant.subscribe(answer);
  }

  /** Hears what becomes of a claim, once. A subscriber of its own, because every reservation may need one. */
  private final class Answer implements CoreSubscriber<Cursor.Grant>, Runnable {

    private final Cursor.Claim claim;
    private final long sentAt;
    private boolean heard;
    private Cursor.@Nullable Grant grant;
    private @Nullable Throwable error;

    Answer(Cursor.Claim claim, long sentAt) {
      this.claim = claim;
      this.sentAt = sentAt;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Cursor.Grant granted) {
      if (heard) {
        Operators.onNextDropped(granted, currentContext());
        return;
      }
      grant = granted;
      hear();
    }

    @Override
    public void onError(Throwable failure) {
      if (heard) {
        Operators.onErrorDropped(failure, currentContext());
        return;
      }
      error = failure;
      hear();
    }

    @Override
    public void onComplete() {
      if (!heard) {
        onError(new CursorException("the cursor gave no answer to " + claim, null));
      }
    }

    private void hear() {
      heard = true;
      steps.run(this);
    }

    /** A grant that cannot be made sense of fails the calls of the moment; else they would be claimed for again and again. */
    @Override
    public void run() {
      Throwable fault = error;
      if (fault == null) {
        try {
          granted(claim, Objects.requireNonNull(grant, "the cursor's grant was null"), sentAt);
        } catch (Throwable unfit) {
          Exceptions.throwIfJvmFatal(unfit);
          fault = unfit;
        }
      }
      if (fault != null) {
        failed(fault);
      }
    }
  }

  /**
   * Whether calls are on their way out that may be back in a moment: a claim for the first of them alone would make all
   * others wait for its answer. Says so before it looks again, so that the last one signals.
   */
  private boolean lingers(long now) {
    lingers = true;
    lingers = leaving.get() > 0 && now - letGoAt < LONGEST_LINGER;
    return lingers;
  }

  private void granted(Cursor.Claim claim, Cursor.Grant answer, long sentAt) {
    long now = settings.now();
    inFlight = false;
    claimsAnswered = claimsSent;
    Cursor.Grant grant = claim.fit(answer);
    if (!grant.equals(answer)) {
      settings.listener().anomaly(key, answer + " for " + claim);
    }
    settings
        .listener()
        .answered(key, claim.permits(), grant.permits(), Duration.ofNanos(grant.roundTripNanos()));
    if (grant.clamped()) {
      settings.listener().clamped(key);
    }
    gate.learn(grant.cooldown(), now);
    obey(now);
    if (grant.permits() == 0) {
      refusedBefore(grant, claim, sentAt, now);
      return;
    }
    long age = settings.roundTrips().age(grant.roundTripNanos());
    Run run = Run.of(grant, grant.gcra(), now, age);
    noMoreYet = false;
    held.add(run);
    dropShut(now); // it was asked for before the stop
    floor = run.end();
    seq = grant.seq();
    refundable = true;
    idleFrom = later(idleFrom, run.behind(1) + run.gcra.tolerance());
    if (claimedIn != settings.suspension().changes()) {
      lose(held.count());
    }
  }

  /** Slots of before a suspension are not used. */
  private void obeySuspension() {
    if (obeyedSuspension != settings.suspension().changes()) {
      obeyedSuspension = settings.suspension().changes();
      lose(held.count());
    }
  }

  /**
   * No slot is to be had before: whoever cannot wait until then is told at once. But while there are slots in
   * hand, some of those calls may still be served with them.
   */
  private void refusedBefore(Cursor.Grant refusal, Cursor.Claim claim, long sentAt, long now) {
    Waiter first = waiting.head();
    if (first != null && held.slot(first.permits()) != null) {
      noMoreYet = true;
      return;
    }
    boolean anyone = false;
    long slot = now + refusal.waitNanos();
    long cheapest = slot - refusal.gcra().advance(claim.least() - 1); // who came since need not cost so much
    for (Waiter next = waiting.mostPressed();
        next != null && next.deadline - (next.claimsBefore < claimsSent ? slot : cheapest) < 0;
        next = waiting.mostPressed()) {
      anyone |= refuse(next, slot - now, now);
    }
    Waiter head = waiting.head();
    boolean askedForIt =
        head != null && head.claimsBefore < claimsSent && head.deadline - sentAt <= claim.withinNanos();
    if (!anyone && head != null && askedForIt) {
      refuse(head, slot - now, now); // the cursor knows best, and asking for ever helps nobody
    }
  }

  private void failed(Throwable error) {
    inFlight = false;
    claimsAnswered = claimsSent;
    if (claimedIn == settings.suspension().changes()) { // else it was the suspension that let go of it
      endAll(error);
    }
  }

  /** A call whose budget is spent goes, but not before the first claim made for it is answered. */
  private void refuseLate(long now) {
    for (Waiter next = waiting.mostPressed();
        next != null && now - lastMoment(next) > 0;
        next = waiting.mostPressed()) {
      refuse(next, 0, now);
    }
  }

  private long lastMoment(Waiter waiter) {
    boolean hasItsChance = (inFlight || lingers) && claimsAnswered <= waiter.claimsBefore;
    return waiter.deadline + (hasItsChance ? PATIENCE : 0);
  }

  /** Whether, as far as is known, nobody has booked behind the slots in hand. */
  private boolean canGiveBack() {
    Run last = held.last();
    return last != null && last.end() == floor && refundable && !inFlight;
  }

  private void giveBack(long now) {
    Run last = held.last();
    if (last == null || !canGiveBack()) {
      return;
    }
    Gcra paced = paced();
    // asked again, the cursor would say the same as long as it does not know of a widening that is known here
    boolean outdated = !last.gcra.equals(paced) && !asked.equals(paced) && last.behind(0) - now > settings.quantum();
    long surplus = outdated || spoilt ? last.remaining() : held.count() - waiting.permits();
    spoilt = false;
    if (surplus <= 0) {
      return;
    }
    long end = last.end();
    Run tail = held.takeLast(last, surplus);
    Cursor.Refund refund = new Cursor.Refund(key, end, seq, last.end());
    inFlight = true;
    Mono.defer(() -> settings.cursor().giveBack(refund))
        .defaultIfEmpty(false)
        .subscribe(
            back -> steps.run(() -> gaveBack(refund, tail, back)),
            unknown -> steps.run(() -> gaveBackPerhaps(tail)));
  }

  private void gaveBack(Cursor.Refund refund, Run tail, boolean back) {
    inFlight = false;
    if (back) {
      floor = refund.to();
      seq = refund.seq() + 1;
      settings.listener().givenBack(key, tail.remaining());
    } else {
      refundable = false; // somebody has booked behind: a later call may still use them
      held.add(tail);
      dropShut(settings.now()); // the gate may have been shut meanwhile
    }
  }

  /** Whether they are the cursor's again nobody knows, so they are nobody's. */
  private void gaveBackPerhaps(Run tail) {
    inFlight = false;
    refundable = false;
    settings.listener().lost(key, tail.remaining());
  }

  private boolean refuse(Waiter waiter, long wait, long now) {
    long needed = now - waiter.since + wait;
    RateLimitedException error =
        new RateLimitedException(
            key, Duration.ofNanos(needed), Duration.ofNanos(waiter.deadline - waiter.since), gate.state(now));
    if (!leave(waiter, error)) {
      return false;
    }
    settings.listener().refused(key, error.waitNeeded());
    return true;
  }

  private void endAll(Throwable error) {
    for (Waiter next = waiting.head(); next != null; next = waiting.head()) {
      leave(next, error);
    }
  }

  private boolean leave(Waiter waiter, Run.Slot slot) {
    return waiter.leaves(slot) && left(waiter);
  }

  private boolean leave(Waiter waiter, Throwable error) {
    return waiter.leaves(error) && left(waiter);
  }

  private boolean left(Waiter waiter) {
    waiting.left(waiter);
    if (waiter.equals(own)) {
      ownLeft = true;
    } else {
      othersLeft = true;
      settings.handover().add(waiter);
    }
    return true;
  }

  private long nextEvent(long now) {
    Waiter head = waiting.head();
    Run.Slot slot = held.slot(head == null ? 1 : head.permits());
    if (head == null) {
      boolean asks = inFlight || gate.isTelling();
      long idle = asks ? now + settings.quantum() : later(idleFrom(), now); // an answer will wake it anyway
      return slot == null ? idle : slot.due() + Spacing.SLACK + 1;
    }
    Waiter pressed = waiting.mostPressed();
    long at = lastMoment(pressed == null ? head : pressed) + 1;
    if (lingers) {
      at = earlier(at, letGoAt + LONGEST_LINGER);
    }
    if (slot != null && !isFull() && !gate.isShut(now)) { // a gate wakes the lane when it opens
      long due = spacing.earliest(slot, paced(), head.permits());
      at = earlier(at, due);
    }
    return at;
  }

  /** When closed, slots that could not be given back are lost. */
  @Override
  public boolean mayRetire() {
    boolean quiet = waiting.isEmpty() && !inFlight && !gate.isTelling();
    return quiet && (closed || (held.isEmpty() && idleFrom() - settings.now() <= 0));
  }

  private long idleFrom() {
    return later(idleFrom, gate.neededUntil());
  }

  @Override
  public void retire() {
    alarm.off();
    lose(held.count());
    gate.end();
    onRetired.accept(this);
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }

  private static long later(long a, long b) {
    return a - b > 0 ? a : b;
  }
}
