package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Backoff;
import dev.pacer.Cursor;
import dev.pacer.GateBridge;
import dev.pacer.Gcra;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import reactor.core.publisher.Flux;

/**
 * What a gate goes through in SQL and in Java, side by side. A row holds the clock as its statement read it, so each
 * step can be done again, to the nanosecond.
 */
class GateSqlMatchesJavaIT {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final long SECOND = 1_000_000_000L;
  private static final long DAY = 86_400 * SECOND;

  private static GateTable table;
  private static PostgresCursor cursor;
  private static int keys;

  @BeforeContainer
  static void open() {
    table = GateTable.fresh();
    cursor = PostgresCursor.builder().url(table.url()).timeLimit(Duration.ofSeconds(10)).build();
  }

  @AfterContainer
  static void close() {
    cursor.close().block(PATIENCE);
    table.close();
  }

  /** A gate as an earlier history may have left it, in relation to now. */
  record Before(long shutFor, int strikes, long generation, int widening) {
    Cursor.Gate at(long now) {
      return new Cursor.Gate(now + shutFor, strikes, generation, widening);
    }
  }

  /** A stop or, with {@code narrower} of 0 or more, a relief; {@code age} below -1 stands for an unknown generation, below -3 for no call. */
  record Step(Backoff backoff, long age, long figure, long jitter, int narrower) {
    long sentIn(Cursor.Gate gate) {
      return age < -3 ? Cursor.Stop.NO_ANSWER : age < -1 ? Cursor.Stop.UNKNOWN : Math.max(0, gate.generation() - age);
    }
  }

  @Property(tries = 150)
  void everyStepOfARowsHistoryIsTheStepThatJavaMakes(@ForAll("befores") Before before, @ForAll("histories") List<Step> history) {
    String key = "row" + keys++;
    table.put(key, new Cursor.Row(17, 3, 5, 9, true, before.at(table.now())));
    history.forEach(step -> check(key, step));
  }

  @Property(tries = 100)
  void soIsEveryStepOfAKeyThatHasNoRow(@ForAll("histories") List<Step> history) {
    String key = "new" + keys++;
    history.forEach(step -> check(key, step));
  }

  private static void check(String key, Step step) {
    Cursor.Row row = table.row(key);
    Cursor.Row was = row == null ? Cursor.Row.NONE : row;
    long sentIn = step.sentIn(was.gate());
    if (step.narrower() >= 0) {
      Cursor.Relief relief = new Cursor.Relief(key, sentIn, step.narrower());
      Cursor.Cooldown answer = cursor.relax(relief).block(PATIENCE);
      Cursor.Row is = table.row(key);
      assertThat(is == null ? Cursor.Gate.OPEN : is.gate()).as("%s of %s", relief, was).isEqualTo(GateBridge.relaxed(was.gate(), relief));
      assertThat(answer).isIn(null, is == null ? null : is.cooldown());
    } else {
      Cursor.Stop stop = new Cursor.Stop(key, step.figure(), sentIn, step.jitter(), step.backoff());
      Cursor.Cooldown answer = cursor.coolDown(stop).block(PATIENCE);
      Cursor.Row is = table.row(key);
      assertThat(is.gate()).as("%s of %s", stop, was).isEqualTo(GateBridge.stopped(was.gate(), is.readAt(), stop));
      assertThat(answer).isEqualTo(is.cooldown());
      assertThat(List.of(is.cursor(), is.granted(), is.seq(), is.clamped()))
          .as("the cursor stays where it is")
          .isEqualTo(List.of(was.cursor(), was.granted(), was.seq(), was.clamped()));
    }
  }

  /** A claim for a row whose gate is shut, or has widened the interval, or both. */
  record Take(Before gate, long ahead, Gcra gcra, long permits, int least, long most, long within, long floor, long horizon) {
    Cursor.Claim claim(String key, long now) {
      int fewest = Math.min(least, gcra.burst());
      return new Cursor.Claim(
          key, gcra, Math.max(permits, fewest), fewest, Math.max(most, fewest), within, now + floor, horizon);
    }
  }

  @Property(tries = 250)
  void aTakeFromARowWithAGateIsTheTakeThatJavaMakes(@ForAll("takes") Take take) {
    String key = "take" + keys++;
    long now = table.now();
    Cursor.Row was = new Cursor.Row(now + take.ahead(), 0, now, 4, false, take.gate().at(now));
    table.put(key, was);
    Cursor.Claim claim = take.claim(key, now);
    Cursor.Grant grant = cursor.take(claim).block(PATIENCE);
    Cursor.Row is = table.row(key);
    assertThat(is).as("%s of %s", claim, was).isEqualTo(GateBridge.taken(was, is.readAt(), claim));
    assertThat(grant).isEqualTo(claim.grant(is, grant.roundTripNanos()));
    assertThat(is.gate()).isEqualTo(was.gate());
    assertThat(grant.cooldown()).isEqualTo(was.gate().cooldown(is.readAt()));
    if (grant.permits() > 0) {
      assertThat(is.readAt() + grant.waitNanos()).as("nothing is due inside the cooldown").isGreaterThanOrEqualTo(was.gate().shutUntil());
    }
  }

  @Property(tries = 40)
  void soAreManyTakesInOneStatement(@ForAll("crowds") List<Take> takes) {
    long now = table.now();
    List<Cursor.Claim> claims = takes.stream().map(take -> {
      String key = "crowd" + keys++;
      table.put(key, new Cursor.Row(now + take.ahead(), 0, now, 4, false, take.gate().at(now)));
      return take.claim(key, now);
    }).toList();
    List<Cursor.Row> before = claims.stream().map(claim -> table.row(claim.key())).toList();
    Flux.fromIterable(claims).flatMap(cursor::take, 64).blockLast(PATIENCE);
    for (int i = 0; i < claims.size(); i++) {
      Cursor.Row is = table.row(claims.get(i).key());
      assertThat(is).as("%s of %s", claims.get(i), before.get(i)).isEqualTo(GateBridge.taken(before.get(i), is.readAt(), claims.get(i)));
    }
  }

  @Provide
  Arbitrary<Before> befores() {
    return Combinators.combine(
            Arbitraries.oneOf(around(), Arbitraries.just(-20_000 * DAY)),
            Arbitraries.oneOf(Arbitraries.integers().between(0, 40), Arbitraries.just(1_000_000)),
            Arbitraries.longs().between(0, 1L << 40),
            Arbitraries.integers().between(0, 6))
        .as(Before::new);
  }

  /** From 30 days before now to 30 days after, as often near as far. */
  private static Arbitrary<Long> around() {
    return Arbitraries.oneOf(
        Arbitraries.longs().between(-SECOND, SECOND),
        Arbitraries.longs().between(-3_600 * SECOND, 3_600 * SECOND),
        Arbitraries.longs().between(-30 * DAY, 30 * DAY));
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    return Combinators.combine(
            backoffs(),
            Arbitraries.longs().between(-5, 2),
            Arbitraries.oneOf(Arbitraries.just(-1L), Arbitraries.just(0L), Arbitraries.longs().between(0, 366 * DAY)),
            Arbitraries.longs().between(0, 3_600 * SECOND),
            Arbitraries.integers().between(-3, 1))
        .as(Step::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(8);
  }

  private static Arbitrary<Backoff> backoffs() {
    return Combinators.combine(
            Arbitraries.longs().between(1, 3_600_000),
            Arbitraries.longs().between(0, 2_588_400_000L),
            Arbitraries.doubles().between(0, 1),
            Arbitraries.oneOf(Arbitraries.just(1L), Arbitraries.longs().between(1, 86_400_000)),
            Arbitraries.integers().between(0, 6),
            Arbitraries.of(true, false))
        .as((millis, more, part, decay, widest, shared) -> new Backoff(
            Duration.ofMillis(millis),
            Duration.ofMillis(millis + more),
            Duration.ofNanos((long) (millis * 1e6 * part)),
            Duration.ofMillis(millis),
            Duration.ofMillis(decay),
            widest,
            20,
            shared));
  }

  @Provide
  Arbitrary<List<Take>> crowds() {
    return takes().list().ofMinSize(2).ofMaxSize(12);
  }

  @Provide
  Arbitrary<Take> takes() {
    return Combinators.combine(
            befores(),
            around(),
            gcras(),
            Arbitraries.longs().between(1, 100_000),
            Arbitraries.integers().between(1, 20),
            Arbitraries.longs().between(1, 100_000),
            Arbitraries.oneOf(Arbitraries.longs().between(0, 900 * SECOND), Arbitraries.longs().between(0, 30 * DAY)),
            Combinators.combine(around(), Arbitraries.longs().between(0, 60 * DAY)).as((floor, horizon) -> new long[] {floor, horizon}))
        .as((gate, ahead, gcra, permits, least, most, within, ends) ->
            new Take(gate, ahead, gcra, permits, least, most, within, ends[0], ends[1]));
  }

  /** Whatever a pace may be: from a million a second to one per 366 days, the whole burst included. */
  private static Arbitrary<Gcra> gcras() {
    long longest = 366 * DAY * 256;
    return Combinators.combine(Arbitraries.integers().between(1_245, 4_353), Arbitraries.of(1, 1, 2, 10, 500, 5_000, 100_000))
        .as((length, burst) -> new Gcra(Math.max(256_000, Math.min(longest / burst, (long) Math.exp(length / 100.0))), burst));
  }
}
