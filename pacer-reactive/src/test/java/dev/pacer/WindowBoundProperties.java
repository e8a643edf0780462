package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import reactor.core.publisher.Mono;

/** P1, P2 and fairness over random histories of calls, cancellations and time, of one to four pacers on one cursor. */
class WindowBoundProperties {

  @Provide
  Arbitrary<History> histories() {
    return History.any();
  }

  @Label("P1, P2, P8, P9: whatever happens")
  @Property(tries = 6_000)
  void promisesHoldWhateverHappens(@ForAll("histories") History history) {
    Play play = Play.of(history);
    theWindowHolds(play, history.roundTripNanos());
    nothingIsEarly(play);
    firstComeFirstServedWithinAPriority(play);
    urgentGoesFirst(play);
    budgetsAreKept(play, history.roundTripNanos());
    nothingLeaks(play);
  }

  private static void theWindowHolds(Play play, long roundTrip) {
    List<Window.Spent> line = play.line();
    // as published, and what a slot has aged before it came: a costly call may need the answers to two claims
    long late = play.world.heard.latest.get() + 3 * roundTrip;
    assertThat(Window.violation(line, play.gcra, late + 3)).isEmpty(); // places are whole nanoseconds, rounded up at each step
    if (late == 0) {
      History.Limit limit = play.history.limit();
      assertThat(Window.most(line, limit.periodNanos())).isLessThanOrEqualTo(limit.permits());
    }
  }

  /** Each permit is spent on a slot of its own, at its due time or later. */
  private static void nothingIsEarly(Play play) {
    List<Long> due = play.due();
    List<Long> spent = play.spent();
    assertThat(spent).hasSizeLessThanOrEqualTo(due.size());
    for (int i = 0; i < spent.size(); i++) {
      assertThat(spent.get(i)).as("permit %s", i).isGreaterThanOrEqualTo(due.get(i));
    }
  }

  private static void firstComeFirstServedWithinAPriority(Play play) {
    for (int pacer = 0; pacer < play.pacers.size(); pacer++) {
      for (Priority priority : Priority.values()) {
        int which = pacer;
        assertThat(
                play.made.stream()
                    .filter(one -> one.pacer() == which && one.call().priority() == priority && one.passed())
                    .map(one -> one.caller().at))
            .isSorted();
      }
    }
  }

  private static void urgentGoesFirst(Play play) {
    List<Play.Made> passed = play.made.stream().filter(Play.Made::passed).toList();
    for (Play.Made urgent : passed) {
      for (Play.Made other : passed) {
        boolean overtaken =
            urgent.pacer() == other.pacer()
                && urgent.call().priority().compareTo(other.call().priority()) < 0
                && urgent.at() < other.caller().at
                && other.caller().at < urgent.caller().at;
        assertThat(overtaken).as("%s overtaken by %s", urgent, other).isFalse();
      }
    }
  }

  private static void budgetsAreKept(Play play, long late) {
    for (Play.Made one : play.made) {
      if (one.call().maxWait() == null || one.caller().waits()) {
        continue;
      }
      long took = one.caller().at - one.at();
      long budget = one.call().maxWait().toNanos();
      assertThat(took).as("%s", one).isLessThanOrEqualTo(budget + 1 + 4 * late);
      if (!one.passed()) {
        assertThat(one.caller().refusal().waitNeeded()).isGreaterThan(one.call().maxWait());
      }
    }
  }

  private static void nothingLeaks(Play play) {
    assertThat(play.made).allMatch(one -> !one.caller().waits() || one.caller().isDisposed(), "has ended");
    assertThat(play.made).allMatch(one -> one.caller().signals <= 1, "was told once");
    assertThat(play.pacers).allMatch(pacer -> pacer.size() == 0, "keeps no lane");
    assertThat(play.world.cursor.size()).as("rows").isZero();
    Recorder heard = play.world.heard;
    assertThat(heard.cancelled).hasValue(play.cancelled);
    assertThat(heard.released.get() + heard.refused.get() + heard.cancelled.get()).isEqualTo(play.made.size());
    assertThat(heard.granted.get())
        .as("permits granted, and spent, given back or lost")
        .isEqualTo(play.spent().size() + heard.givenBack.get() + heard.lost.get());
    assertThat(heard.clamped).hasValue(0);
    assertThat(heard.anomalies).isEmpty();
  }

  @Label("the checker agrees with counting every window")
  @Property(tries = 2_000)
  void theCheckerIsRight(@ForAll Random random) {
    Gcra gcra = new Gcra(1 + random.nextInt(20 * Gcra.FRACTION), 1 + random.nextInt(4));
    AtomicLong at = new AtomicLong();
    List<Window.Spent> line =
        IntStream.range(0, 12)
            .mapToObj(i -> new Window.Spent(at.addAndGet(random.nextInt(25)), 1 + random.nextInt(gcra.burst())))
            .toList();
    long late = random.nextInt(3);
    assertThat(Window.violation(line, gcra, late).isPresent())
        .isEqualTo(Window.bruteForce(line, gcra, late).isPresent());
  }

  @Label("a cursor that loses an update now and then is found out")
  @Example
  void lostUpdatesAreFound() {
    AtomicInteger steps = new AtomicInteger();
    assertThat(violations(cursor -> new Wrapped(cursor) {
      @Override
      public Mono<Grant> take(Claim claim) {
        return super.take(claim)
            .flatMap(grant -> steps.incrementAndGet() % 5 != 0 ? Mono.just(grant) : forget(claim, grant));
      }

      private Mono<Grant> forget(Claim claim, Grant grant) {
        long end = grant.start() + claim.gcra().advance(grant.permits());
        return super.giveBack(new Refund(claim.key(), end, grant.seq(), grant.start())).thenReturn(grant);
      }
    })).isPositive();
  }

  @Label("a cursor that takes back without looking is found out")
  @Example
  void blindRefundsAreFound() {
    assertThat(violations(cursor -> new Wrapped(cursor) {
      private final AtomicLong seq = new AtomicLong();
      private final AtomicLong end = new AtomicLong();

      @Override
      public Mono<Grant> take(Claim claim) {
        return super.take(claim).doOnNext(grant -> {
          seq.set(grant.seq());
          end.set(grant.start() + claim.gcra().advance(grant.permits()));
        });
      }

      @Override
      public Mono<Boolean> giveBack(Refund refund) {
        long less = refund.cursor() - refund.to();
        return Mono.defer(
            () -> super.giveBack(new Refund(refund.key(), end.get(), seq.get(), end.addAndGet(-less))))
            .doOnNext(back -> seq.incrementAndGet());
      }
    })).isPositive();
  }

  @Label("a cursor that tells waits too short by a tenth of the interval is found out")
  @Example
  void earlySlotsAreFound() {
    assertThat(violations(cursor -> new Wrapped(cursor) {
      private final AtomicInteger steps = new AtomicInteger();

      @Override
      public Mono<Grant> take(Claim claim) {
        return super.take(claim).map(grant -> shorter(grant, claim.gcra().advance(1) / 10 * (steps.incrementAndGet() % 2)));
      }

      private Grant shorter(Grant grant, long by) {
        return new Grant(
            grant.permits(),
            grant.waitNanos() - by,
            grant.start(),
            grant.gcra(),
            grant.seq(),
            grant.clamped(),
            grant.cooldown(),
            0);
      }
    })).isPositive();
  }

  private static long violations(UnaryOperator<Cursor> fault) {
    return History.any()
        .sampleStream()
        .limit(300)
        .filter(history -> {
          Play play = Play.of(history, fault);
          return Window.violation(play.line(), play.gcra, history.roundTripNanos() + 1).isPresent();
        })
        .count();
  }
}
