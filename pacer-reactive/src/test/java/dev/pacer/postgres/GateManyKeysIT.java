package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Backoff;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** What a cut connection means to a process with thousands of keys in use: it must look at each gate again. */
class GateManyKeysIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int KEYS = 5_000;
  private static final List<String> NAMES = IntStream.range(0, KEYS).mapToObj(i -> "key-" + i).toList();

  private final GateTable table = GateTable.fresh();

  private Pacer pacer() {
    return Pacer.builder().fallback(Cursors.PATIENT)
        .cursor(PostgresCursor.builder().url(table.url()).timeLimit(Duration.ofSeconds(10)).build())
        .backoff(Backoff.DEFAULT.widening(0, 20, true))
        .defaultPace(Pace.perHour(1))
        .build();
  }

  @Test
  @DisplayName("while it looks at 5,000 gates again, reservations and cooldowns do not wait for that")
  void lookingAgainHoldsNothingUp() {
    Pacer pacer = pacer();
    Flux.fromIterable(NAMES).flatMap(pacer::reserve, KEYS).blockLast(PATIENCE);
    table.run("UPDATE pacer_cursor SET generation = 1, strikes = 1, shut_until = " + (table.now() + 600_000_000_000L));
    table.terminate("pacer");
    await(() -> known(pacer) > 0);
    for (int i = 0; i < 3; i++) {
      pacer.reserve("another-" + i).block(PATIENCE);
    }
    pacer.coolDown("a-third", Duration.ofSeconds(60));
    await(() -> table.row("a-third") != null);
    assertThat(known(pacer)).as("gates it has looked at when that is done").isLessThan(KEYS);
    await(() -> known(pacer) == KEYS);
    pacer.close();
    pacer.whenClosed().block(PATIENCE);
  }

  @Test
  @DisplayName("the first connection has missed nothing: 5,000 first calls are a few statements, not 5,000")
  void atTheStartThereIsNothingToLookAt() {
    Pacer pacer = pacer();
    Flux.fromIterable(NAMES).flatMap(pacer::reserve, KEYS).blockLast(PATIENCE);
    pacer.close();
    pacer.whenClosed().block(PATIENCE); // a session tells its statistics at its end
    LockSupport.parkNanos(300_000_000);
    long scans = table.numbers("SELECT coalesce(sum(idx_scan), 0) FROM pg_stat_user_tables WHERE relname = 'pacer_cursor'").get(0);
    assertThat(scans).as("one each for the insert; a peek would be one more").isLessThan(KEYS + KEYS / 10);
  }

  private static long known(Pacer pacer) {
    return NAMES.stream().filter(pacer::inCooldown).count();
  }

  private static void await(BooleanSupplier holds) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("in time").isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }
}
