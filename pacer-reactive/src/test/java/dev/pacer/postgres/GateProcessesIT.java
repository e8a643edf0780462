package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** P6 and P7 over operating-system processes that share nothing but the database. */
class GateProcessesIT {
  private static final String KEY = "api.example.com";
  private static final Duration NOTICE = Duration.ofMillis(50);

  private final GateTable table = GateTable.fresh();

  @Test
  @DisplayName("500 queued calls and a 429: none goes in either process from 50 ms after it until the gate opens, then one by one")
  void a429InOneProcessStopsBoth() {
    try (GateProcess one = GateProcess.start(table.url(), KEY, 100);
        GateProcess two = GateProcess.start(table.url(), KEY, 100)) {
      one.ready();
      two.ready();
      one.go(250);
      two.go(250);
      pause(Duration.ofMillis(500));
      long stopped = one.stop(Duration.ofSeconds(3));
      pause(Duration.ofMillis(8_500));
      List<Long> first = one.sent();
      List<Long> second = two.sent();
      long opens = stopped + Duration.ofSeconds(3).toNanos();
      assertThat(first.stream().filter(at -> at > stopped + 1_000_000 && at < opens)).as("where it was heard").isEmpty();
      assertThat(second.stream().filter(at -> at > stopped + NOTICE.toNanos() && at < opens))
          .as("in the other one, in ms after the 429: %s", second.stream().filter(at -> at > stopped && at < opens).map(at -> (at - stopped) / 1e6).toList())
          .isEmpty();
      assertThat(first.stream().filter(at -> at < stopped).count()).isBetween(5L, 60L);
      assertThat(second.stream().filter(at -> at < stopped).count()).isBetween(5L, 60L);
      assertThat(first).hasSize(250);
      assertThat(second).hasSize(250);
      List<Long> after = new ArrayList<>(first);
      after.addAll(second);
      after.removeIf(at -> at < opens);
      Collections.sort(after);
      assertOneByOne(after, opens, Duration.ofMillis(10));
    }
  }

  /** Never more in any window of a second, but for the lateness of a busy machine, than the pace has slots in it. */
  private static void assertOneByOne(List<Long> times, long opens, Duration interval) {
    long late = Duration.ofMillis(100).toNanos();
    for (int from = 0; from < times.size(); from++) {
      long slots = (times.get(from) - opens) / interval.toNanos() + 1;
      assertThat(from + 1L).as("calls %s ms after the opening", (times.get(from) - opens) / 1e6).isLessThanOrEqualTo(slots + 1);
      for (int to = from + 1; to < times.size(); to++) {
        assertThat(to - from + 1L).isLessThanOrEqualTo((times.get(to) - times.get(from) + late) / interval.toNanos() + 1);
      }
    }
  }

  @Test
  void aProcessThatStartsDuringACooldownRespectsIt() {
    try (GateProcess one = GateProcess.start(table.url(), KEY, 50)) {
      one.ready();
      one.go(1);
      pause(Duration.ofMillis(200));
      long stopped = one.stop(Duration.ofSeconds(6));
      try (GateProcess late = GateProcess.start(table.url(), KEY, 50)) {
        late.ready();
        late.go(20);
        long opens = stopped + Duration.ofSeconds(6).toNanos();
        pause(Duration.ofNanos(opens - System.nanoTime()).plusSeconds(2));
        assertThat(late.sent()).hasSize(20).allMatch(at -> at >= opens);
      }
    }
  }

  @Test
  @DisplayName("two processes hear a 429 at the same time, to calls of the same generation: one strike")
  void simultaneousStopsAreOneStrike() {
    try (GateProcess one = GateProcess.start(table.url(), KEY, 100);
        GateProcess two = GateProcess.start(table.url(), KEY, 100)) {
      one.ready();
      two.ready();
      one.go(1);
      two.go(1);
      pause(Duration.ofMillis(200));
      long soon = System.nanoTime() + Duration.ofMillis(200).toNanos();
      one.stopAt(soon);
      two.stopAt(soon);
      one.stoppedAt();
      two.stoppedAt();
      pause(Duration.ofMillis(500));
      assertThat(table.row(KEY).gate().strikes()).isEqualTo(1);
      assertThat(table.row(KEY).gate().generation()).isEqualTo(1);
      long left = table.row(KEY).gate().shutUntil() - table.now();
      assertThat(left).isBetween(Duration.ofSeconds(20).toNanos(), Duration.ofSeconds(30).toNanos());
    }
  }

  private static void pause(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
