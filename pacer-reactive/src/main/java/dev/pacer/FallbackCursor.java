package dev.pacer;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;

/**
 * A shared cursor, and for when it cannot be asked one of this process's own, at its share of the pace. Neither
 * open nor closed: a claim is always answered, within the {@linkplain Fallback#patience patience}.
 *
 * <p>The two cursors have clocks of their own, and nothing of one is ever compared with the other's, except over
 * the distance between the two clocks that the last check-in has shown:
 *
 * <ul>
 *   <li>Going away, the highest shared place that a lane has seen is the floor of its claims here.
 *   <li>Coming back, a key's cursor here is the floor of its claims there, for as long as it is ahead of now. So no
 *       time is spent twice, however often the database comes and goes.
 *   <li>Cooldowns that are known go along in both directions.
 * </ul>
 *
 * <p>Grants of this process's own carry sequence numbers of their own range, by which refunds find home.
 * Thread-safe.
 */
final class FallbackCursor implements Cursor, Contact.Ears {

  private static final Logger log = LoggerFactory.getLogger(Pacer.class);

  private static final long OWN = Long.MIN_VALUE;
  private static final long FOREVER = Long.MAX_VALUE / 4;

  private final Cursor shared;
  private final LocalCursor own;
  private final Fallback settings;
  private final PacerListener listener;
  private final Contact contact;
  private final Overdue overdue;
  private final Map<String, Long> busy = new ConcurrentHashMap<>();
  private final Map<String, Stop> untold = new ConcurrentHashMap<>();
  private final Sinks.Many<Notice> changes = Sinks.many().multicast().directBestEffort();
  private volatile int processes;
  private volatile int countedBefore;
  private volatile long fewerFrom; // when it may be believed that some have gone
  private volatile long most; // the distance from this process's clock to the shared one is at most this,
  private volatile long least; // and at least this

  FallbackCursor(Cursor shared, Fallback settings, Scheduler timer, PacerListener listener) {
    this.shared = shared;
    this.own = new LocalCursor(timer);
    this.settings = settings;
    this.listener = listener;
    this.contact = new Contact(shared, settings, timer, own::now, this);
    this.overdue = new Overdue(settings.patience().toNanos(), own::now, timer);
  }

  boolean isDegraded() {
    return contact.isLost();
  }

  @Override
  public Gcra paced(String key, Gcra pace) {
    return isAlone(key) ? settings.alone(pace, processes) : settings.shared(pace);
  }

  private boolean isAlone(String key) {
    return contact.isLost() || contact.isPaused() || (!busy.isEmpty() && isBusy(key));
  }

  private boolean isBusy(String key) {
    Long until = busy.get(key);
    if (until == null) {
      return false;
    }
    return until - own.now() > 0 || !busy.remove(key, until);
  }

  @Override
  public Mono<Grant> take(Claim claim) {
    return Mono.defer(
        () -> {
          contact.goOn();
          return isAlone(claim.key()) ? takeOwn(claim) : Mono.create(sink -> takeShared(claim, sink));
        });
  }

  private Mono<Grant> takeOwn(Claim claim) {
    if (!mayDoWithout()) {
      return Mono.error(contact.whyLost());
    }
    contact.didWithout();
    Gcra alone = settings.alone(claim.gcra(), processes);
    // the last shared slot weighs what one weighs here, or a database that comes and goes would raise the rate
    long more = least == 0 ? 0 : alone.advance(1) - settings.shared(claim.gcra()).advance(1);
    long floor = claim.floor() - least + more;
    Claim mine =
        new Claim(
            claim.key(),
            alone,
            claim.permits(),
            claim.least(),
            claim.ahead(),
            claim.withinNanos(),
            floor > own.now() + claim.horizonNanos() ? 0 : floor,
            FOREVER);
    return own.take(mine).map(FallbackCursor::tagged);
  }

  private static Grant tagged(Grant grant) {
    return new Grant(
        grant.permits(),
        grant.waitNanos(),
        grant.start(),
        grant.gcra(),
        OWN + grant.seq(),
        grant.clamped(),
        grant.cooldown(),
        grant.roundTripNanos());
  }

  private void takeShared(Claim claim, MonoSink<Grant> sink) {
    Asked asked = new Asked(claim, sink, own.now());
    overdue.watch(asked);
    Mono.defer(() -> shared.take(withFloor(claim))).subscribe(asked::granted, asked::failed, asked::unanswered);
  }

  /** What this process has spent by itself is spent. */
  private Claim withFloor(Claim claim) {
    long spent = own.cursor(claim.key());
    boolean counts = spent > own.now();
    long reach = settings.alone(claim.gcra(), processes).advance(claim.ahead() + claim.gcra().burst());
    return new Claim(
        claim.key(),
        settings.shared(claim.gcra()),
        claim.permits(),
        claim.least(),
        claim.ahead(),
        claim.withinNanos(),
        counts ? Math.max(claim.floor(), spent + most) : claim.floor(),
        claim.horizonNanos() + reach);
  }

  /** A claim that the shared cursor was asked for, and who waits for the answer. */
  private final class Asked implements Overdue.Question {

    private final Claim claim;
    private final MonoSink<Grant> sink;
    private final long at;
    private final AtomicBoolean answered = new AtomicBoolean();

    Asked(Claim claim, MonoSink<Grant> sink, long at) {
      this.claim = claim;
      this.sink = sink;
      this.at = at;
    }

    @Override
    public long askedAt() {
      return at;
    }

    @Override
    public boolean isAnswered() {
      return answered.get();
    }

    void granted(Grant grant) {
      if (answered.compareAndSet(false, true)) {
        own.learn(claim.key(), grant.cooldown());
        contact.answered();
        sink.success(grant);
      } else {
        passOn(claim.key(), grant.cooldown());
        contact.answeredLate();
        giveAllBack(claim.key(), grant);
      }
    }

    void unanswered() {
      if (answered.compareAndSet(false, true)) {
        sink.success();
      }
    }

    void failed(Throwable error) {
      if (answered.compareAndSet(false, true)) {
        if (mayDoWithout(claim.key(), error)) {
          takeOwn(claim).subscribe(sink::success, sink::error);
        } else {
          sink.error(error);
        }
      }
    }

    @Override
    public void overdue() {
      failed(late());
    }
  }

  private CursorException late() {
    Throwable cause = new TimeoutException("no answer within " + settings.patience());
    return new CursorException("The cursor gave no answer within " + settings.patience(), cause, CursorException.Extent.ALL);
  }

  private void giveAllBack(String key, Grant grant) {
    if (grant.permits() > 0) {
      long end = grant.start() + grant.gcra().advance(grant.permits());
      Refund refund = new Refund(key, end, grant.seq(), grant.start());
      Mono.defer(() -> shared.giveBack(refund)).subscribe(done -> {}, lost -> {});
    }
  }

  /** Takes note of what a failure says about those to come. */
  private boolean mayDoWithout(String key, Throwable error) {
    switch (CursorException.of(error)) {
      case ALL -> contact.lost(error);
      case KEY -> {
        busy.values().removeIf(until -> until - own.now() <= 0); // of keys that are not used any more
        if (busy.put(key, own.now() + settings.latch().toNanos()) == null) {
          log.warn("Degraded for \"{}\": its cursor cannot be moved, {}. {}", key, meanwhile(), error.toString());
          listener.degraded(key, error);
        }
      }
      case CALL -> {
        return false;
      }
    }
    return mayDoWithout();
  }

  private boolean mayDoWithout() {
    return contact.hasMet() || settings.startsWithout();
  }

  @Override
  public void lost(Throwable why) {
    String what = contact.hasMet() ? "Degraded: the cursor cannot be asked" : "The cursor has not been reached yet";
    log.warn("{}, {}. {}", what, meanwhile(), why.toString());
    listener.degraded(/* key= */ null, why);
  }

  private String meanwhile() {
    return mayDoWithout()
        ? "this process paces itself at " + settings.share(processes)
        : "and calls fail until it has answered once, for startsWithout is off";
  }

  @Override
  public void checkedIn(Fleet fleet, long askedAt) {
    if (fleet.processes() > 0) {
      count(Math.min(fleet.processes(), Fallback.MOST_PROCESSES));
    }
    if (fleet.clock() != 0) {
      most = fleet.clock() - askedAt;
      least = fleet.clock() - own.now();
    }
    untold.forEach(this::tell);
  }

  /**
   * That some have gone is believed when it is said twice, and not soon after an outage: they could not say that they
   * are there, or have not found out yet that they can.
   */
  private void count(int counted) {
    long now = own.now();
    if (contact.isLost()) {
      fewerFrom = now + settings.memoryNanos() + settings.latch().toNanos() + settings.patience().toNanos();
    }
    processes = Math.max(counted, now - fewerFrom > 0 ? countedBefore : processes);
    countedBefore = counted;
  }

  /** Calls may wait for slots of the slower pace. */
  @Override
  public void back(Duration away, long claims) {
    listener.recovered(away, claims);
    changes.tryEmitNext(Notice.ANY);
  }

  @Override
  public Mono<Boolean> giveBack(Refund refund) {
    if (refund.seq() < 0) {
      return own.giveBack(new Refund(refund.key(), refund.cursor(), refund.seq() - OWN, refund.to()));
    }
    return Mono.defer(() -> isAlone(refund.key()) ? Mono.just(false) : shared.giveBack(refund));
  }

  @Override
  public Mono<Standing> peek(String key) {
    Mono<Standing> there =
        Mono.defer(() -> shared.peek(key)).doOnNext(standing -> own.learn(key, standing.cooldown()));
    return either(key, there, own.peek(key));
  }

  /** The shared cursor's answer, or this process's own where that one cannot be asked. */
  private <T> Mono<T> either(String key, Mono<T> there, Mono<T> here) {
    return Mono.defer(
        () ->
            isAlone(key)
                ? here
                : there.onErrorResume(error -> mayDoWithout(key, error) ? here : Mono.error(error)));
  }

  @Override
  public Mono<Cooldown> coolDown(Stop stop) {
    Mono<Cooldown> there =
        Mono.defer(() -> shared.coolDown(stop)).doOnNext(cooldown -> own.learn(stop.key(), cooldown));
    return either(stop.key(), there, coolDownOwn(stop));
  }

  private Mono<Cooldown> coolDownOwn(Stop stop) {
    return own.coolDown(stop)
        .doOnNext(
            cooldown -> {
              if (untold.put(stop.key(), stop) == null) {
                contact.checkInSoon();
              }
            });
  }

  /** The others have not heard of it yet; how long it still lasts, only this process knows. */
  private void tell(String key, Stop stop) {
    long left = own.cooldown(key).remainingNanos();
    if (left <= 0) {
      untold.remove(key, stop);
      return;
    }
    Stop rest = new Stop(key, left, stop.sentIn(), /* jitterNanos= */ 0, stop.backoff());
    Mono.defer(() -> shared.coolDown(rest))
        .subscribe(
            cooldown -> {
              untold.remove(key, stop);
              passOn(key, cooldown);
            },
            unheard -> contact.checkInSoon());
  }

  /** In an answer for which no lane waits: one that has slots in hand must not use them. */
  private void passOn(String key, Cooldown cooldown) {
    own.learn(key, cooldown);
    if (cooldown.remainingNanos() > 0) {
      changes.tryEmitNext(new Notice(key, cooldown));
    }
  }

  @Override
  public Mono<Cooldown> relax(Relief relief) {
    Mono<Cooldown> there =
        Mono.defer(() -> shared.relax(relief)).doOnNext(cooldown -> own.learn(relief.key(), cooldown));
    return either(relief.key(), there, own.relax(relief));
  }

  @Override
  public Flux<Notice> notices() {
    return shared
        .notices()
        .doOnNext(this::heard)
        .mergeWith(changes.asFlux());
  }

  /** Of keys that nobody uses here nothing is kept. */
  private void heard(Notice notice) {
    if (own.knows(notice.key())) {
      own.learn(notice.key(), notice.cooldown());
    }
  }

  @Override
  public void forget(String key) {
    isBusy(key);
    untold.computeIfPresent(key, (k, stop) -> own.cooldown(key).remainingNanos() > 0 ? stop : null);
    own.forget(key);
    shared.forget(key);
  }

  @Override
  public Mono<Void> suspend() {
    return Mono.defer(
        () -> {
          contact.pause();
          return shared.suspend();
        });
  }

  @Override
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          contact.close();
          return shared.close();
        });
  }
}
