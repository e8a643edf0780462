package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.benchmarks.ModelFleet.Found;
import dev.pacer.benchmarks.ModelFleet.Scene;
import dev.pacer.benchmarks.ModelFleet.Stopped;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ModelFleetTest {

  private static final Scene BACKLOG =
      new Scene(/* processes= */ 10, /* keys= */ 1, /* perSecond= */ 1_000, /* callers= */ 100, /* notifies= */ true, 1);

  @Test
  void theSameSeedIsTheSameHistory() {
    Scene other = BACKLOG.another(/* told= */ true, 2);
    assertThat(new ModelFleet(BACKLOG).play()).isEqualTo(new ModelFleet(BACKLOG).play());
    assertThat(new ModelFleet(BACKLOG).stop()).isEqualTo(new ModelFleet(BACKLOG).stop());
    assertThat(new ModelFleet(other).stop()).isNotEqualTo(new ModelFleet(BACKLOG).stop());
  }

  @Test
  @DisplayName("P1, P10: all processes together keep to the pace, and share it evenly")
  void allTogetherKeepToThePaceAndShareIt() {
    Found found = new ModelFleet(BACKLOG).play();
    assertThat(found.departures()).isBetween(980.0, 1_001.0);
    assertThat(found.shares().jain()).isGreaterThan(0.99);
    assertThat(found.degraded()).isZero();
  }

  @Test
  @DisplayName("P6: who is told of a cooldown stops within 50 ms, and who is not before his next claim")
  void aFleetThatIsToldStopsAtOnce() {
    Stopped told = new ModelFleet(BACKLOG).stop();
    Stopped untold = new ModelFleet(BACKLOG.another(/* told= */ false, 1)).stop();
    assertThat(told.nanos()).isLessThan(Duration.ofMillis(50).toNanos());
    assertThat(untold.nanos()).isBetween(told.nanos() + 1, Duration.ofSeconds(2).toNanos());
    assertThat(untold.departures()).isGreaterThan(told.departures());
  }

  @Test
  @DisplayName("P10: a single caller waits for a quantum of each process, not for their queues")
  void aSingleCallerDoesNotWaitForTheQueues() {
    Scene queues = new Scene(3, 1, 1_000, /* callers= */ 2_000, /* notifies= */ true, 1);
    Found found = new ModelFleet(queues).play();
    assertThat(found.waits().getTotalCount()).isPositive();
    assertThat(found.waits().getMaxValue()).as("the queues are six seconds long").isLessThan(Duration.ofSeconds(1).toNanos());
  }

  @Test
  void aStatementBringsHalfAQuantumOfSlotsWhereEnoughCallsWait() {
    Found found = new ModelFleet(new Scene(1, 1, 100_000, /* callers= */ 12_000, /* notifies= */ true, 1)).play();
    assertThat(found.departures()).isBetween(99_000.0, 100_100.0);
    assertThat(found.statements()).isLessThan(30);
  }

  @Test
  void claimsOfSeveralKeysGoTogetherInOneStatement() {
    Found found = new ModelFleet(new Scene(2, /* keys= */ 10, 1_000, /* callers= */ 1, /* notifies= */ true, 1)).play();
    assertThat(found.statements()).as("rows in all").isLessThan(found.steps() * 10 / 2);
  }
}
