package dev.pacer;

import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;

/** The way from one process to the database, and what came of it. */
final class SimWire implements Cursor {

  private static final SimQuestion.Manner AGAIN = new SimQuestion.Manner(true, true);
  private static final SimQuestion.Manner ONCE = new SimQuestion.Manner(false, true);
  private static final SimQuestion.Manner CHECK = new SimQuestion.Manner(true, false);

  final int process;
  final SimClock clock;
  final SimDatabase database;
  final SimTrouble trouble;
  final Random random;
  final SimLoop loop;
  SimQuestion.Road road = SimQuestion.Road.UP;
  private final Sinks.Many<Notice> notices = Sinks.many().multicast().directBestEffort();

  /** Is told of each answer about a gate, and when that was so. */
  ObjLongConsumer<Cooldown> onHeard = (cooldown, at) -> {};

  /** How many grants its lane has taken note of. */
  Supplier<Long> answered = () -> 0L;

  /** Is told of each grant that came to its lane in time. */
  Consumer<SimGrant> onTaken = grant -> {};

  long leastFleet = Long.MAX_VALUE;

  /** How old slots were at most when they came, as far as their lane did not know. */
  long oldest;

  /** How long a claim took that brought some. */
  long slowest;

  private long before = -1;

  SimWire(int process, SimLoop loop, SimClock clock, SimDatabase database, SimTrouble trouble, Random random) {
    this.process = process;
    this.loop = loop;
    this.clock = clock;
    this.database = database;
    this.trouble = trouble;
    this.random = random;
  }

  void become(SimQuestion.Road next) {
    boolean back = road != SimQuestion.Road.UP && next == SimQuestion.Road.UP;
    road = next;
    if (back) {
      clock.arrive(trouble.delay(random), () -> notices.tryEmitNext(Notice.ANY));
    }
  }

  /** By NOTIFY, if there is a connection. */
  void tell(Cooldown cooldown) {
    if (road == SimQuestion.Road.UP && !database.down) {
      long at = loop.now();
      clock.arrive(
          trouble.delay(random),
          () -> {
            onHeard.accept(cooldown, at);
            notices.tryEmitNext(new Notice(World.KEY, cooldown));
          });
    }
  }

  private <T, R> Mono<R> ask(SimQuestion.Manner manner, Supplier<T> question, SimQuestion.Receiver<T, R> receiver) {
    return Mono.create(
        sink -> {
          SimQuestion<T, R> asked = new SimQuestion<>(this, sink, manner, question, receiver);
          clock.arrive(trouble.queue(random), asked::send);
        });
  }

  private <T> Mono<T> ask(SimQuestion.Manner manner, Supplier<T> question) {
    return ask(manner, question, (T answer, long roundTrip, MonoSink<T> sink) -> sink.success(answer));
  }

  /** Some answer that tells of the gate as well. */
  private <T> Mono<T> askOfGate(SimQuestion.Manner manner, Supplier<T> question, Function<T, Cooldown> gate) {
    return ask(
        manner,
        () -> new Dated<>(question.get(), loop.now()),
        (Dated<T> answer, long roundTrip, MonoSink<T> sink) -> {
          onHeard.accept(gate.apply(answer.what), answer.at);
          sink.success(answer.what);
        });
  }

  private record Dated<T>(T what, long at) {}

  private static Claim withoutFloor(Claim claim) {
    return new Claim(
        claim.key(),
        claim.gcra(),
        claim.permits(),
        claim.least(),
        claim.ahead(),
        claim.withinNanos(),
        /* floor= */ 0,
        claim.horizonNanos());
  }

  @Override
  public Mono<Grant> take(Claim claim) {
    Claim told = trouble.bug == SimBug.DROPPED_FLOOR ? withoutFloor(claim) : claim;
    return Mono.defer(
        () -> {
          long askedAt = loop.now();
          return ask(
              AGAIN,
              () -> database.take(process, told),
              (SimGrant grant, long roundTrip, MonoSink<Grant> sink) -> hand(grant, roundTrip, askedAt, sink));
        });
  }

  /** Hands it to the lane, and sees whether it was in time. */
  private void hand(SimGrant grant, long roundTrip, long askedAt, MonoSink<Grant> sink) {
    Grant answer = grant.answer(Math.max(1, roundTrip));
    onHeard.accept(answer.cooldown(), grant.at);
    grant.taken(clock.nanos(), answer);
    long count = answered.get();
    onTaken.accept(grant); // a call may be let go at once
    sink.success(answer);
    grant.taken = answered.get() > count;
    if (grant.taken && grant.permits() > 0) {
      keep(grant, roundTrip, askedAt);
    }
  }

  private void keep(SimGrant grant, long roundTrip, long askedAt) {
    long age = loop.now() - grant.at;
    boolean recognised = before >= 0 && roundTrip > trouble.quantum + before;
    oldest = Math.max(oldest, recognised ? Math.min(age, trouble.overdue) : age);
    slowest = Math.max(slowest, loop.now() - askedAt);
    before = roundTrip;
  }

  @Override
  public Mono<Boolean> giveBack(Refund refund) {
    return ask(ONCE, () -> database.giveBack(process, refund));
  }

  @Override
  public Mono<Standing> peek(String key) {
    return askOfGate(ONCE, database::peek, Standing::cooldown);
  }

  @Override
  public Mono<Cooldown> coolDown(Stop stop) {
    return askOfGate(AGAIN, () -> database.coolDown(stop), cooldown -> cooldown);
  }

  @Override
  public Mono<Cooldown> relax(Relief relief) {
    return askOfGate(ONCE, () -> database.relax(relief), cooldown -> cooldown);
  }

  @Override
  public Flux<Notice> notices() {
    return notices.asFlux();
  }

  @Override
  public Mono<Fleet> checkIn(long memoryNanos) {
    return ask(CHECK, () -> database.checkIn(process, memoryNanos)).doOnNext(this::counted);
  }

  private void counted(Fleet fleet) {
    if (fleet.processes() > 0) {
      leastFleet = Math.min(leastFleet, fleet.processes());
    }
  }

  @Override
  public Mono<Void> close() {
    return Mono.empty();
  }
}
