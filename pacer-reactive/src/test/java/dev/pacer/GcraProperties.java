package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.RandomDistribution;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GcraProperties {

  private static final long BUDGET = TimeUnit.DAYS.toNanos(30);
  private static final long YEAR = TimeUnit.DAYS.toNanos(366);

  /** A cursor, stepped by hand. */
  private static final class Stepped {
    long cursor;
    long seq;
    long now;

    Cursor.Row take(Cursor.Claim claim) {
      Cursor.Row row = GcraBridge.take(cursor, seq, now, claim);
      cursor = row.cursor();
      seq = row.seq();
      return row;
    }
  }

  private static Cursor.Claim claim(Gcra gcra, long permits) {
    return claim(gcra, permits, 1, permits, BUDGET, 0);
  }

  private static Cursor.Claim claim(Gcra gcra, long permits, long least, long ahead, long within, long floor) {
    long length = (long) Math.min(Long.MAX_VALUE / 256, (ahead + gcra.burst()) * (gcra.interval() / 255.0));
    long horizon = BUDGET + gcra.tolerance() + length;
    return new Cursor.Claim("k", gcra, permits, least, ahead, within, floor, horizon);
  }

  @Provide
  Arbitrary<Gcra> gcras() {
    Arbitrary<Integer> bursts = Arbitraries.integers().between(1, 1_000);
    return bursts.flatMap(
        burst ->
            Arbitraries.longs()
                .between(1_000L * Gcra.FRACTION, YEAR / burst * Gcra.FRACTION)
                .withDistribution(RandomDistribution.biased())
                .map(interval -> new Gcra(interval, burst)));
  }

  @Label("n permits at once have the places of n times one, give or take the rounding, and never earlier ones")
  @Property(tries = 2_000)
  void manyAtOnceAreManyTimesOne(
      @ForAll("gcras") Gcra gcra, @ForAll @IntRange(min = 1, max = 50) int n, @ForAll @LongRange(min = 0, max = 1_000) long idle) {
    Stepped once = new Stepped();
    Stepped singly = new Stepped();
    once.now = idle;
    singly.now = idle;
    long all = Math.min(n, Math.max(1, BUDGET / gcra.advance(1)));
    Cursor.Grant grant = claim(gcra, all).grant(once.take(claim(gcra, all)), 0);
    assertThat(grant.permits()).isEqualTo(all);
    for (int i = 0; i < all; i++) {
      Cursor.Claim one = claim(gcra, 1);
      Cursor.Grant single = one.grant(singly.take(one), 0);
      assertThat(single.permits()).isEqualTo(1);
      assertThat(single.start() - (grant.start() + gcra.advance(i))).isBetween(0L, (long) i);
    }
    assertThat(singly.cursor - once.cursor).isBetween(0L, all);
  }

  @DisplayName("a million steps of 1/7 s, 1/3 s and 1 µs do not drift, and are never too fast")
  @ParameterizedTest
  @ValueSource(doubles = {7, 3, 1e6, 1 / 7.0})
  void aMillionStepsDoNotDrift(double perSecond) {
    int steps = 1_000_000;
    Gcra gcra = Pace.perSecond(perSecond).gcra();
    Stepped cursor = new Stepped();
    for (int i = 0; i < steps; i++) {
      cursor.now = cursor.cursor;
      cursor.take(claim(gcra, 1));
    }
    double ideal = steps / perSecond * 1e9;
    assertThat((double) cursor.cursor).isBetween(ideal, ideal * 1.00001);
  }

  @Label("a refusal moves nothing")
  @Property(tries = 2_000)
  void aRefusalMovesNothing(
      @ForAll("gcras") Gcra gcra,
      @ForAll @IntRange(min = 1, max = 20) int n,
      @ForAll @LongRange(min = 1, max = 1_000_000_000_000L) long short_) {
    Stepped cursor = new Stepped();
    cursor.now = 5;
    cursor.cursor = 5 + gcra.tolerance() + short_; // one nanosecond more than the budget to the first slot
    long before = cursor.cursor;
    Cursor.Claim claim = claim(gcra, n, 1, n, short_ - 1, 0);
    Cursor.Row row = cursor.take(claim);
    assertThat(row.granted()).isZero();
    assertThat(cursor.cursor).isEqualTo(before);
    assertThat(cursor.seq).isZero();
    assertThat(claim.grant(row, 0).waitNanos()).isEqualTo(short_);
    assertThat(cursor.take(claim(gcra, n, 1, n, short_, 0)).granted()).isPositive();
  }

  @Label("rather none than fewer than the least, and no more in advance than asked for")
  @Property(tries = 2_000)
  void leastAndAheadAreKept(
      @ForAll("gcras") Gcra gcra,
      @ForAll @IntRange(min = 1, max = 100) int permits,
      @ForAll @IntRange(min = 1, max = 100) int least,
      @ForAll @IntRange(min = 0, max = 100) int more,
      @ForAll @LongRange(min = 0, max = 2_000_000_000L) long within,
      @ForAll @LongRange(min = -1_000_000_000L, max = 1_000_000_000L) long ahead) {
    Cursor.Claim claim =
        claim(gcra, Math.max(permits, least), Math.min(least, gcra.burst()), Math.min(least, gcra.burst()) + more, within, 0);
    long now = 10_000_000_000L;
    Cursor.Row row = GcraBridge.take(now + ahead, 3, now, claim);
    Cursor.Grant grant = claim.grant(row, 0);
    if (row.granted() == 0) {
      assertThat(grant.waitNanos()).isGreaterThan(within);
      return;
    }
    assertThat(row.granted()).isBetween(claim.least(), claim.permits());
    long lastDue = grant.waitNanos() + gcra.advance(row.granted() - 1);
    assertThat(lastDue).as("due of the last slot").isLessThanOrEqualTo(Math.max(within, 0));
    long undue = 0;
    for (long i = 0; i < row.granted(); i++) {
      undue += grant.waitNanos() + gcra.advance(i) > 0 ? 1 : 0;
    }
    assertThat(undue).isLessThanOrEqualTo(claim.ahead());
  }

  @DisplayName("C013: after 12 hours, 10 years, 292 years of nothing: at once, a step later, and no overflow")
  @ParameterizedTest
  @ValueSource(longs = {12L * 3_600, 10L * 366 * 86_400, 292L * 365 * 86_400})
  void aCursorFarInThePastIsIdle(long secondsAgo) {
    Gcra gcra = Pace.perSecond(1e6).gcra();
    Stepped cursor = new Stepped();
    cursor.now = TimeUnit.DAYS.toNanos(365 * 56); // about today, since 1970
    cursor.cursor = cursor.now - TimeUnit.SECONDS.toNanos(secondsAgo);
    Cursor.Claim claim = claim(gcra, 1);
    Cursor.Grant first = claim.grant(cursor.take(claim), 0);
    Cursor.Grant second = claim.grant(cursor.take(claim), 0);
    assertThat(first).isEqualTo(new Cursor.Grant(1, 0, cursor.now, gcra, 1, false, Cursor.Cooldown.NONE, 0));
    assertThat(second).isEqualTo(new Cursor.Grant(1, 1_000, cursor.now + 1_000, gcra, 2, false, Cursor.Cooldown.NONE, 0));
    assertThat(cursor.cursor).isEqualTo(cursor.now + 2_000);
  }

  @DisplayName("the slowest pace with the biggest burst, and budgets of 30 days, stay within a long")
  @Test
  void extremesDoNotOverflow() {
    int biggest = 1_000_000_000;
    List<Pace> slow =
        List.of(
            Pace.of(1, Duration.ofDays(366)),
            Pace.of(1_999_999_999, Duration.ofDays(366)).burst(biggest),
            Pace.of(366 * 86_400 * 1e6, Duration.ofDays(366)).burst(Integer.MAX_VALUE),
            Pace.of(3, Duration.ofDays(183)).burst(2),
            Pace.perSecond(1e6).burst(1_000_000));
    for (Pace pace : slow) {
      Gcra gcra = pace.gcra();
      Stepped cursor = new Stepped();
      cursor.now = TimeUnit.DAYS.toNanos(365 * 56);
      long burst = gcra.burst();
      Cursor.Claim all = claim(gcra, burst, burst, burst, BUDGET, 0);
      Cursor.Grant grant = all.grant(cursor.take(all), 0);
      assertThat(grant.permits()).as("%s", pace).isEqualTo(burst);
      assertThat(grant.waitNanos()).isEqualTo(-gcra.tolerance()).isNotPositive();
      assertThat(cursor.cursor).isEqualTo(cursor.now + gcra.advance(burst)).isGreaterThan(cursor.now);
      assertThat(cursor.cursor - cursor.now).isLessThanOrEqualTo(all.horizonNanos()).isPositive();
      Cursor.Grant next = all.grant(cursor.take(all), 0);
      long wait = gcra.advance(burst) - gcra.tolerance() + gcra.advance(burst - 1);
      assertThat(next.clamped()).isFalse();
      if (wait <= BUDGET) {
        assertThat(next.permits()).as("%s", pace).isEqualTo(burst);
      } else {
        assertThat(next.permits()).isZero();
        assertThat(next.waitNanos()).isEqualTo(wait);
      }
    }
  }

  @Label("a cursor or a floor beyond the horizon is read as idle, and said to be; one at the horizon is believed")
  @Property(tries = 1_000)
  void beyondTheHorizonIsCorrupt(@ForAll("gcras") Gcra gcra, @ForAll @LongRange(min = 1, max = Long.MAX_VALUE / 4) long beyond) {
    Cursor.Claim claim = claim(gcra, 1);
    long now = 1_000;
    Cursor.Row clamped = GcraBridge.take(now + claim.horizonNanos() + beyond, 7, now, claim);
    assertThat(clamped).isEqualTo(new Cursor.Row(now + gcra.advance(1), 1, now, 8, true, Cursor.Gate.OPEN));
    Cursor.Row believed = GcraBridge.take(now + claim.horizonNanos(), 7, now, claim);
    assertThat(believed.clamped()).isFalse();

    Cursor.Claim floored = claim(gcra, 1, 1, 1, BUDGET, now + claim.horizonNanos() + beyond);
    assertThat(GcraBridge.take(0, 7, now, floored).cursor()).isEqualTo(now + gcra.advance(1));
    Cursor.Claim low = claim(gcra, 1, 1, 1, BUDGET, now + 10);
    assertThat(GcraBridge.take(0, 7, now, low).cursor()).isEqualTo(now + 10 + gcra.advance(1));
  }

  @Label("a cursor that was legitimately moved is never taken for corrupt by the same pace")
  @Property(tries = 1_000)
  void whatWasGrantedIsWithinTheHorizon(
      @ForAll("gcras") Gcra gcra, @ForAll @Size(min = 1, max = 20) List<@IntRange(min = 1, max = 1_000) Integer> claims) {
    Stepped cursor = new Stepped();
    for (int permits : claims) {
      Cursor.Row row = cursor.take(claim(gcra, permits, 1, 1, BUDGET, 0));
      assertThat(row.clamped()).isFalse();
    }
  }

  /** One claimant's claim: after a while, so many, at least so many, within so long. */
  record Ask(long after, int permits, int least, int ahead, long within) {}

  @Provide
  Arbitrary<List<Ask>> asks() {
    Arbitrary<Long> after = Arbitraries.longs().between(0, 400_000_000L).withDistribution(RandomDistribution.biased());
    Arbitrary<Integer> few = Arbitraries.integers().between(1, 12);
    Arbitrary<Long> within = Arbitraries.longs().between(0, 3_000_000_000L);
    return Combinators.combine(after, few, few, few, within).as(Ask::new).list().ofMinSize(1).ofMaxSize(60);
  }

  @Label("the slots of all claimants together keep P1, and none is handed out twice")
  @Property(tries = 3_000)
  void slotsKeepTheWindow(
      @ForAll("asks") List<Ask> asks,
      @ForAll @IntRange(min = 1, max = 30) int permits,
      @ForAll @IntRange(min = 1, max = 30) int burstOf30) {
    int burst = Math.max(1, permits * burstOf30 / 30);
    Gcra gcra = Pace.perSecond(permits).burst(burst).gcra();
    Stepped cursor = new Stepped();
    List<Window.Spent> slots = new ArrayList<>();
    List<Long> places = new ArrayList<>();
    for (Ask ask : asks) {
      cursor.now += ask.after();
      long least = Math.min(ask.least(), gcra.burst());
      Cursor.Claim claim =
          claim(gcra, Math.max(ask.permits(), least), least, Math.max(ask.ahead(), least), ask.within(), 0);
      Cursor.Grant grant = claim.grant(cursor.take(claim), 0);
      for (long i = 0; i < grant.permits(); i++) {
        long due = Math.max(cursor.now, cursor.now + grant.waitNanos() + gcra.advance(i));
        slots.add(new Window.Spent(due, 1));
        places.add(grant.start() + gcra.advance(i));
      }
    }
    assertThat(places).doesNotHaveDuplicates().isSorted();
    slots.sort(Comparator.comparingLong(Window.Spent::at));
    assertThat(Window.violation(slots, gcra, 1)).isEmpty(); // places are whole nanoseconds
    assertThat(Window.most(slots, 1_000_000_000)).isLessThanOrEqualTo(permits);
  }
}
