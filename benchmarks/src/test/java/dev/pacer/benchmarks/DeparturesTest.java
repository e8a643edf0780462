package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.pacer.Pacer;
import dev.pacer.RateLimitedException;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeparturesTest {

  @Test
  void whatAProcessTellsIsUnderstood() {
    Departures.Job job = new Departures.Job("a-key", 7.5, 8, -3, 1L << 60);
    assertThat(Departures.Job.ofLine(job.toLine())).isEqualTo(job);
    for (Departures one : List.of(new Departures(-5, List.of(1L, -2L), List.of(7L), 3), new Departures(0, List.of(), List.of(), 0))) {
      assertThat(Departures.ofLine(one.toLine())).isEqualTo(one);
    }
  }

  @Test
  void whoDoesNotGoOnInTimeLeavesAndDoesNotCount() {
    Departures.Watch watch = new Departures.Watch();
    try (Pacer pacer = Departing.pacer(Pacer.builder(), watch)) {
      long start = System.nanoTime();
      Departures found = Departures.of(new Departures.Job("slow", 0.01, 5, start, start + 50_000_000), pacer, watch);
      assertThat(found.times()).hasSizeLessThanOrEqualTo(1).allMatch(at -> at - start >= 0);
      Departures next = Departures.of(new Departures.Job("next", 0.01, 5, start, start), pacer, watch);
      assertThat(next.late()).as("those of the job before").hasSizeLessThanOrEqualTo(1);
    }
  }

  @Test
  void aCallThatIsRefusedIsNotPassedOver() {
    Departures.Watch watch = new Departures.Watch();
    try (Pacer pacer = Departing.pacer(Pacer.builder(), watch)) {
      long start = System.nanoTime();
      assertThatIllegalStateException()
          .isThrownBy(() -> Departures.of(new Departures.Job("hopeless", 0.0001, 5, start, start), pacer, watch))
          .withCauseInstanceOf(RateLimitedException.class);
    }
  }

  @Test
  void eachThatGoesOnIsStampedByItsCallerAndByThePacer() {
    Departures.Watch watch = new Departures.Watch();
    try (Pacer pacer = Departing.pacer(Pacer.builder(), watch)) {
      long start = System.nanoTime();
      Departures found = Departures.of(new Departures.Job("fast", 1_000, 20, start, start + 2_000_000_000L), pacer, watch);
      assertThat(found.times()).hasSize(20).isSorted();
      assertThat(found.late()).hasSize(20);
      assertThat(found.times().get(19) - found.subscribed()).isGreaterThanOrEqualTo(19_000_000);
    }
  }
}
