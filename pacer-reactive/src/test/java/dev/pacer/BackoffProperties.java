package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds of a gate whatever it goes through. */
class BackoffProperties {

  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long START = 20_000L * 86_400 * SECOND;

  /**
   * One thing that happens to a gate.
   *
   * @param later after so many nanoseconds
   * @param age how many generations ago the call was sent, or negative if that is unknown
   * @param narrower what a relief brings, or negative for a stop
   */
  record Event(long later, long age, long figure, long jitter, int narrower) {
    long sentIn(Cursor.Gate gate) {
      return age < 0 ? Cursor.Stop.UNKNOWN : Math.max(0, gate.generation() - age);
    }
  }

  @Property
  void whateverHappensACooldownIsNeverShortenedAndAGenerationNeverTakenBack(
      @ForAll("backoffs") Backoff backoff, @ForAll("histories") List<Event> history) {
    long now = START;
    Cursor.Gate gate = Cursor.Gate.OPEN;
    for (Event event : history) {
      now += event.later();
      Cursor.Gate next = after(gate, now, event, backoff);
      assertThat(next.shutUntil()).isGreaterThanOrEqualTo(gate.shutUntil());
      assertThat(next.generation()).isBetween(gate.generation(), gate.generation() + 1);
      assertThat(next.strikes()).isBetween(0, gate.strikes() + 1);
      assertThat(next.widening()).isBetween(0, backoff.sharedWidest());
      if (next.generation() == gate.generation()) {
        assertThat(next.strikes()).as("no new cooldown, no new strike").isLessThanOrEqualTo(gate.strikes());
      } else {
        assertThat(next.shutUntil()).as("a new cooldown is one").isGreaterThanOrEqualTo(now + backoff.least().toNanos());
      }
      gate = next;
    }
  }

  @Property
  void noCooldownWithoutAFigureIsLongerThanTheCapAndItsJitter(
      @ForAll("backoffs") Backoff backoff, @ForAll("histories") List<Event> history) {
    long now = START;
    Cursor.Gate gate = Cursor.Gate.OPEN;
    for (Event event : history) {
      now += event.later();
      Event bare = new Event(event.later(), event.age(), -1, event.jitter(), event.narrower());
      gate = after(gate, now, bare, backoff);
      assertThat(gate.shutUntil() - now).isLessThanOrEqualTo(backoff.cap().toNanos() + SECOND);
    }
  }

  @Property
  void aFigureIsKeptInFullWheneverItComes(
      @ForAll("backoffs") Backoff backoff, @ForAll("histories") List<Event> history) {
    long now = START;
    Cursor.Gate gate = Cursor.Gate.OPEN;
    for (Event event : history) {
      now += event.later();
      gate = after(gate, now, event, backoff);
      if (event.narrower() < 0 && event.figure() >= 0) {
        assertThat(gate.shutUntil()).isGreaterThanOrEqualTo(now + Math.max(event.figure(), backoff.least().toNanos()));
      }
    }
  }

  @Property
  void howeverManyAnswersToCallsOfOneGenerationAreOneStrike(
      @ForAll("backoffs") Backoff backoff, @ForAll("histories") List<Event> history, @ForAll("generations") long sentIn) {
    long now = START;
    Cursor.Gate gate = new Cursor.Gate(0, 0, sentIn, 0);
    for (Event event : history) {
      now += event.later();
      gate = backoff.stopped(gate, now, new Cursor.Stop("key", event.figure(), sentIn, event.jitter(), backoff));
      assertThat(gate.strikes()).isEqualTo(1);
      assertThat(gate.generation()).isEqualTo(sentIn + 1);
    }
  }

  private static Cursor.Gate after(Cursor.Gate gate, long now, Event event, Backoff backoff) {
    return event.narrower() >= 0
        ? new Cursor.Relief("key", event.sentIn(gate), event.narrower()).relax(gate)
        : backoff.stopped(
            gate, now, new Cursor.Stop("key", event.figure(), event.sentIn(gate), event.jitter(), backoff));
  }

  @Provide
  Arbitrary<Long> generations() {
    return Arbitraries.longs().between(0, 1L << 40);
  }

  @Provide
  Arbitrary<Backoff> backoffs() {
    Arbitrary<Long> first = Arbitraries.longs().between(1, 3_600_000);
    return Combinators.combine(
            first,
            Arbitraries.longs().between(0, 2_000_000_000),
            Arbitraries.doubles().between(0, 1),
            Arbitraries.longs().between(1, 86_400_000),
            Arbitraries.integers().between(0, 6),
            Arbitraries.of(true, false))
        .as(
            (millis, more, part, decay, widest, shared) ->
                new Backoff(
                    Duration.ofMillis(millis),
                    Duration.ofMillis(millis + more),
                    Duration.ofNanos((long) (millis * 1e6 * part)),
                    Duration.ofNanos((long) (millis * 1e6 * part)),
                    Duration.ofMillis(decay),
                    widest,
                    20,
                    shared));
  }

  @Provide
  Arbitrary<List<Event>> histories() {
    Arbitrary<Long> figures =
        Arbitraries.oneOf(Arbitraries.just(-1L), Arbitraries.just(0L), Arbitraries.longs().between(0, 400_000 * SECOND));
    return Combinators.combine(
            Arbitraries.oneOf(Arbitraries.longs().between(0, SECOND), Arbitraries.longs().between(0, 100_000 * SECOND)),
            Arbitraries.longs().between(-1, 2),
            figures,
            Arbitraries.longs().between(0, SECOND),
            Arbitraries.integers().between(-3, 1))
        .as(Event::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(40);
  }
}
