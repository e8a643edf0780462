package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a backoff may be, and what a stop makes of a gate. */
class BackoffTest {

  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long DAY = 86_400 * SECOND;
  private static final Backoff PLAIN = Backoff.DEFAULT.jitter(Duration.ZERO);

  /** Some time of a cursor's clock. */
  private static final long NOW = 20_000 * DAY;

  private static Cursor.Stop bare(long sentIn) {
    return new Cursor.Stop("key", Cursor.Stop.NO_FIGURE, sentIn, 0, PLAIN);
  }

  private static Cursor.Stop told(long figure, long sentIn) {
    return new Cursor.Stop("key", figure, sentIn, 0, PLAIN);
  }

  /** How long a bare stop shuts a gate that is open and has had so many strikes just now. */
  private static long seconds(int strikesBefore) {
    Cursor.Gate gate = new Cursor.Gate(NOW, strikesBefore, 7, 0);
    return (PLAIN.stopped(gate, NOW, bare(7)).shutUntil() - NOW) / SECOND;
  }

  @Test
  void theDefaultIsThatOfTheContract() {
    assertThat(Backoff.DEFAULT.first()).isEqualTo(Duration.ofSeconds(30));
    assertThat(Backoff.DEFAULT.cap()).isEqualTo(Duration.ofSeconds(1_800));
    assertThat(Backoff.DEFAULT.least()).isPositive();
    assertThat(Backoff.DEFAULT.shared()).isTrue();
  }

  @Test
  @DisplayName("C050: 30, 60, 120 … 960, 1800, 1800 s")
  void itDoublesUpToTheCap() {
    List<Long> lengths = new ArrayList<>();
    for (int strikes = 0; strikes < 9; strikes++) {
      lengths.add(seconds(strikes));
    }
    assertThat(lengths).containsExactly(30L, 60L, 120L, 240L, 480L, 960L, 1_800L, 1_800L, 1_800L);
  }

  @ParameterizedTest
  @CsvSource({"15", "16", "17", "30", "31", "32", "33", "62", "63", "64", "1000000", "2147483000"})
  void noNumberOfStrikesOverflows(int strikes) {
    assertThat(seconds(strikes)).isEqualTo(1_800);
  }

  @Test
  void theLongestBackoffThatCanBeSetDoesNotOverflowEither() {
    Backoff longest = PLAIN.first(Duration.ofHours(1), Duration.ofDays(30));
    Cursor.Stop stop = new Cursor.Stop("key", -1, 7, Duration.ofHours(1).toNanos(), longest);
    Cursor.Gate gate = longest.stopped(new Cursor.Gate(NOW, 1_000_000, 7, 0), NOW, stop);
    assertThat(gate.shutUntil() - NOW).isEqualTo(30 * DAY + 3_600 * SECOND);
  }

  @Test
  void jitterIsAddedAfterTheCapAndNeverTakenAway() {
    for (long jitter : new long[] {0, 1, SECOND}) {
      for (int strikes : new int[] {0, 3, 8, 1_000}) {
        Cursor.Stop stop = new Cursor.Stop("key", -1, 7, jitter, Backoff.DEFAULT);
        long until = Backoff.DEFAULT.stopped(new Cursor.Gate(NOW, strikes, 7, 0), NOW, stop).shutUntil();
        assertThat(until - NOW).isEqualTo(seconds(strikes) * SECOND + jitter);
      }
    }
  }

  @Test
  @DisplayName("C047: the cap is for our own backoff, a vendor's figure counts in full and without jitter")
  void theVendorsFigureCountsInFull() {
    long days = 198_300 * SECOND;
    Cursor.Stop stop = new Cursor.Stop("key", days, 0, SECOND, Backoff.DEFAULT);
    Cursor.Gate gate = Backoff.DEFAULT.stopped(Cursor.Gate.OPEN, NOW, stop);
    assertThat(gate.shutUntil()).isEqualTo(NOW + days);
    assertThat(gate.strikes()).isEqualTo(1);
    assertThat(gate.generation()).isEqualTo(1);
  }

  @Test
  void aVendorsZeroGetsTheFloor() {
    assertThat(PLAIN.stopped(Cursor.Gate.OPEN, NOW, told(0, 0)).shutUntil()).isEqualTo(NOW + PLAIN.least().toNanos());
    assertThat(PLAIN.stopped(Cursor.Gate.OPEN, NOW, told(SECOND / 2, 0)).shutUntil()).isEqualTo(NOW + SECOND);
    assertThat(PLAIN.stopped(Cursor.Gate.OPEN, NOW, told(2 * SECOND, 0)).shutUntil()).isEqualTo(NOW + 2 * SECOND);
  }

  @Test
  void aShorterFigureNeverShortensACooldown() {
    Cursor.Gate gate = PLAIN.stopped(Cursor.Gate.OPEN, NOW, told(300 * SECOND, 0));
    for (long figure : new long[] {-1, 0, 1, 60 * SECOND}) {
      for (long sentIn : new long[] {0, 1, Cursor.Stop.UNKNOWN}) {
        assertThat(PLAIN.stopped(gate, NOW + SECOND, told(figure, sentIn)).shutUntil()).isEqualTo(gate.shutUntil());
      }
    }
    assertThat(PLAIN.stopped(gate, NOW + SECOND, told(600 * SECOND, 0)).shutUntil()).isEqualTo(NOW + 601 * SECOND);
  }

  @Test
  @DisplayName("C051: twenty answers to calls of before are one strike")
  void answersToCallsOfBeforeAreNoNewStrike() {
    Cursor.Gate gate = new Cursor.Gate(0, 0, 4, 0);
    for (int i = 0; i < 20; i++) {
      gate = PLAIN.stopped(gate, NOW + i * SECOND / 20, bare(4));
    }
    assertThat(gate).isEqualTo(new Cursor.Gate(NOW + 30 * SECOND, 1, 5, 1));
  }

  @Test
  void aStopOfBeforeThatComesAfterTheCooldownIsNoNewStrikeEither() {
    Cursor.Gate gate = PLAIN.stopped(Cursor.Gate.OPEN, NOW, bare(0));
    assertThat(PLAIN.stopped(gate, NOW + 40 * SECOND, bare(0))).isEqualTo(gate);
    Cursor.Gate longer = PLAIN.stopped(gate, NOW + 40 * SECOND, told(10 * SECOND, 0));
    assertThat(longer).isEqualTo(new Cursor.Gate(NOW + 50 * SECOND, 1, 1, 1));
  }

  @Test
  void anAnswerFromAfterTheCooldownIsANewStrike() {
    Cursor.Gate gate = PLAIN.stopped(Cursor.Gate.OPEN, NOW, bare(0));
    Cursor.Gate next = PLAIN.stopped(gate, NOW + 31 * SECOND, bare(1));
    assertThat(next).isEqualTo(new Cursor.Gate(NOW + 91 * SECOND, 2, 2, 2));
  }

  @Test
  void whoDoesNotKnowWhenItWasSentCountsOncePerCooldown() {
    Cursor.Gate gate = Cursor.Gate.OPEN;
    for (int i = 0; i < 20; i++) {
      gate = PLAIN.stopped(gate, NOW + i, bare(Cursor.Stop.UNKNOWN));
    }
    assertThat(gate.strikes()).isEqualTo(1);
    gate = PLAIN.stopped(gate, gate.shutUntil(), bare(Cursor.Stop.UNKNOWN));
    assertThat(gate.strikes()).isEqualTo(2);
  }

  @Test
  @DisplayName("a row that was lost does not make twenty answers twenty strikes")
  void aRowThatWasLostCountsOn() {
    Cursor.Gate gate = Cursor.Gate.OPEN; // truncated; the process is in generation 7
    for (int i = 0; i < 20; i++) {
      gate = PLAIN.stopped(gate, NOW + i, bare(7));
    }
    assertThat(gate.strikes()).isEqualTo(1);
    assertThat(gate.generation()).isEqualTo(8);
  }

  @Test
  void aStopThatAnswersNoCallIsNoStrikeAndBeginsNoGeneration() {
    Cursor.Gate gate = new Cursor.Gate(NOW, 2, 3, 1);
    assertThat(PLAIN.stopped(gate, NOW + SECOND, told(60 * SECOND, Cursor.Stop.NO_ANSWER)))
        .isEqualTo(new Cursor.Gate(NOW + 61 * SECOND, 2, 3, 1));
    assertThat(PLAIN.stopped(Cursor.Gate.OPEN, NOW, told(60 * SECOND, Cursor.Stop.NO_ANSWER)))
        .isEqualTo(new Cursor.Gate(NOW + 60 * SECOND, 0, 0, 0));
  }

  @Test
  @DisplayName("C054: after 24 h without a call the next cooldown is 30 s again")
  void strikesFallWithTime() {
    Cursor.Gate five = new Cursor.Gate(NOW, 5, 5, 2);
    assertThat(PLAIN.stopped(five, NOW + DAY, bare(5)).shutUntil()).isEqualTo(NOW + DAY + 30 * SECOND);
    assertThat(PLAIN.stopped(five, NOW + DAY, bare(5)).strikes()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"0, 6", "1799, 6", "1800, 5", "3599, 5", "3600, 4", "5400, 3", "7200, 2", "9000, 1", "900000, 1"})
  void eachDecayTakesOneStrikeAway(long quietSeconds, int strikes) {
    Cursor.Gate five = new Cursor.Gate(NOW, 5, 5, 2);
    assertThat(PLAIN.stopped(five, NOW + quietSeconds * SECOND, bare(5)).strikes()).isEqualTo(strikes);
  }

  @Test
  void theTimeWithinACooldownDoesNotCountAsQuiet() {
    Cursor.Gate shut = new Cursor.Gate(NOW + 30 * DAY, 3, 3, 0);
    assertThat(PLAIN.stopped(shut, NOW, bare(3)).strikes()).isEqualTo(4);
  }

  @Test
  void successClearsTheStrikesAndLeavesTheGateShut() {
    Cursor.Gate gate = new Cursor.Gate(NOW, 5, 9, 2);
    assertThat(new Cursor.Relief("key", 9, 0).relax(gate)).isEqualTo(new Cursor.Gate(NOW, 0, 9, 2));
    assertThat(new Cursor.Relief("key", 9, 1).relax(gate)).isEqualTo(new Cursor.Gate(NOW, 0, 9, 1));
    assertThat(new Cursor.Relief("key", 9, 5).relax(gate)).isEqualTo(new Cursor.Gate(NOW, 0, 9, 0));
    assertThat(new Cursor.Relief("key", 8, 1).relax(gate)).as("of before").isEqualTo(gate);
  }

  @Test
  void theWideningStopsWhereItIsTold() {
    Cursor.Gate gate = Cursor.Gate.OPEN;
    Backoff mine = PLAIN.widening(3, 20, /* shared= */ true);
    for (int i = 0; i < 10; i++) {
      gate = mine.stopped(gate, gate.shutUntil() + 1, bare(i));
      assertThat(gate.widening()).isEqualTo(Math.min(i + 1, 3));
    }
    assertThat(PLAIN.widening(3, 20, /* shared= */ false).stopped(Cursor.Gate.OPEN, NOW, bare(0)).widening()).isZero();
    assertThat(PLAIN.widening(0, 20, /* shared= */ true).stopped(Cursor.Gate.OPEN, NOW, bare(0)).widening()).isZero();
  }

  @Test
  void theOrderInWhichTheyAreSetDoesNotMatter() {
    List<UnaryOperator<Backoff>> settings =
        List.of(
            backoff -> backoff.first(Duration.ofMillis(2), Duration.ofMillis(20)), // below the default's least
            backoff -> backoff.least(Duration.ofMinutes(1)),
            backoff -> backoff.jitter(Duration.ofMinutes(2)),
            backoff -> backoff.decay(Duration.ofMillis(5)),
            backoff -> backoff.widening(0, 3, /* shared= */ false));
    Backoff all =
        new Backoff(
            Duration.ofMillis(2), Duration.ofMillis(20), Duration.ofMinutes(1), Duration.ofMinutes(2),
            Duration.ofMillis(5), 0, 3, false);
    for (Backoff from : List.of(Backoff.DEFAULT, PLAIN.first(Duration.ofHours(1), Duration.ofDays(30)))) {
      for (int seed = 0; seed < 500; seed++) {
        List<UnaryOperator<Backoff>> shuffled = new ArrayList<>(settings);
        Collections.shuffle(shuffled, new Random(seed));
        Backoff made = from;
        for (UnaryOperator<Backoff> setting : shuffled) {
          made = setting.apply(made);
        }
        assertThat(made).isEqualTo(all);
      }
    }
  }

  @Test
  void whatIsWrongIsRefusedWithTheRuleAndTheValue() {
    refused("first must be at least PT0.001S and at most PT1H, was PT0S", () -> PLAIN.first(Duration.ZERO, Duration.ofHours(2)));
    refused("first must be at least PT0.001S and at most PT1H, was PT2H", () -> PLAIN.first(Duration.ofHours(2), Duration.ofHours(2)));
    refused("cap must be at least PT1M and at most PT720H, was PT30S", () -> PLAIN.first(Duration.ofMinutes(1), Duration.ofSeconds(30)));
    refused("cap must be at least PT1M and at most PT720H, was PT744H", () -> PLAIN.first(Duration.ofMinutes(1), Duration.ofDays(31)));
    refused("least must be at least PT0S and at most PT1H, was PT-1S", () -> PLAIN.least(Duration.ofSeconds(-1)));
    refused("least must be at least PT0S and at most PT1H, was PT1H1S", () -> PLAIN.least(Duration.ofSeconds(3_601)));
    refused("jitter must be at least PT0S and at most PT1H, was PT1H1S", () -> PLAIN.jitter(Duration.ofSeconds(3_601)));
    refused("jitter must be at least PT0S and at most PT1H, was PT-0.000000001S", () -> PLAIN.jitter(Duration.ofNanos(-1)));
    refused("decay must be at least PT0.001S and at most PT8784H, was PT0S", () -> PLAIN.decay(Duration.ZERO));
    refused("widest must be 0 to 6, was 7", () -> PLAIN.widening(7, 20, true));
    refused("widest must be 0 to 6, was -1", () -> PLAIN.widening(-1, 20, true));
    refused("cleanRun must be at least 1, was 0", () -> PLAIN.widening(2, 0, true));
  }

  private static void refused(String message, Runnable setting) {
    assertThatIllegalArgumentException().isThrownBy(setting::run).withMessage(message);
  }
}
