package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Hooks;

/**
 * The promises, over random histories with faults. {@code -Dpacer.simulation.histories} says how many, {@code
 * -Dpacer.simulation.seed} with which to begin: one that fails is played again with its seed and one history.
 */
class SimulationTest {

  private static final int HISTORIES = Integer.getInteger("pacer.simulation.histories", 20_000);
  private static final long FIRST = Long.getLong("pacer.simulation.seed", 1);
  private static final int ENOUGH = 600;

  private final Logger log = (Logger) LoggerFactory.getLogger(Pacer.class);
  private final Queue<Throwable> dropped = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void listen() {
    log.setLevel(Level.OFF); // every history has its outages
    Hooks.onErrorDropped(dropped::add);
  }

  @AfterEach
  void nothingWasDropped() {
    Hooks.resetOnErrorDropped();
    log.setLevel(null);
    assertThat(dropped).isEmpty();
  }

  @Test
  @Timeout(value = 1, unit = TimeUnit.DAYS) // as many histories as are asked for
  @DisplayName("P1 to P3, P6 to P9, P11: whatever goes wrong")
  void promisesHoldWhateverGoesWrong() {
    for (long seed = FIRST; seed < FIRST + HISTORIES; seed++) {
      String wrong = Simulation.violation(seed, SimBug.NONE).orElse("");
      if (!wrong.isEmpty()) {
        throw new AssertionError(
            wrong + "\nseed " + seed + ", again with -Dpacer.simulation.histories=1 -Dpacer.simulation.seed=" + seed
                + ":\n" + String.join("\n", Simulation.trace(seed, SimBug.NONE)));
      }
    }
  }

  /** What is found within a fraction of the histories of every build. */
  @ParameterizedTest
  @EnumSource(value = SimBug.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void whatIsDoneWrongIsFoundOut(SimBug bug) {
    List<String> found =
        LongStream.rangeClosed(1, ENOUGH)
            .mapToObj(seed -> Simulation.violation(seed, bug))
            .flatMap(Optional::stream)
            .toList();
    assertThat(found).as("%s in %s histories", bug, ENOUGH).anyMatch(what -> what.startsWith(bug.promise));
  }

  @Test
  void theSameSeedIsTheSameHistory() {
    for (int seed : IntStream.rangeClosed(1, 50).toArray()) {
      assertThat(Simulation.trace(seed, SimBug.NONE)).isEqualTo(Simulation.trace(seed, SimBug.NONE));
    }
    assertThat(Simulation.trace(1, SimBug.NONE)).isNotEqualTo(Simulation.trace(2, SimBug.NONE));
  }
}
