package dev.pacer.benchmarks;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;

/**
 * What keys cost that were used once and never again: memory of a process that goes on.
 *
 * <p>{@code java -Xmx2g -cp benchmarks/target/benchmarks.jar dev.pacer.benchmarks.IdleKeys --help}
 */
@Command(name = "IdleKeys", mixinStandardHelpOptions = true, description = "What used keys leave in memory.")
public final class IdleKeys implements Callable<Integer> {

  private static final List<String> COLUMNS =
      List.of(
          "bytes a key in use",
          "bytes a key when idle",
          "bytes a key of as many others when idle",
          "keys used per second");

  private static final int WARM_UP = 5_000;
  private static final int AT_A_TIME = 500;

  @Option(names = "--keys", defaultValue = "100000", description = "${DEFAULT-VALUE}")
  private int keys;

  @Option(names = "--interval", defaultValue = "6", description = "Seconds that a use counts. ${DEFAULT-VALUE}")
  private double interval;

  @Mixin private final Results results = new Results();

  IdleKeys() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new IdleKeys()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    try (Database database = Database.open(Duration.ZERO)) {
      Pacer.Builder shared = Pacer.builder().cursor(database.cursor(/* durable= */ false).build());
      List<Sheet.Row> rows = List.of(use("in memory", Pacer.builder()), use("PostgreSQL", shared));
      String title = String.format(Locale.ROOT, "What %,d keys leave behind that were used once", keys);
      Sheet sheet = new Sheet("idle-keys", title, conditions(database), COLUMNS, rows, List.of());
      results.add(Goals.ofIdleKeys(sheet));
    }
    return 0;
  }

  private Sheet.Row use(String name, Pacer.Builder builder) throws InterruptedException {
    Pace pace = Pace.of(1, Duration.ofMillis((long) (interval * 1e3)));
    Pacer pacer = builder.defaultPace(pace).build();
    reserve(pacer, "warm-up-", Math.min(keys, WARM_UP));
    double before = heapWhenIdle();
    long start = System.nanoTime();
    reserve(pacer, "key-", keys);
    double perSecond = keys * 1e9 / (System.nanoTime() - start);
    double inUse = heap();
    double idle = heapWhenIdle();
    reserve(pacer, "other-", keys);
    double idleAgain = heapWhenIdle();
    pacer.close();
    pacer.whenClosed().block();
    return Accuracy.row(name, COLUMNS,
        (inUse - before) / keys, (idle - before) / keys, (idleAgain - idle) / keys, perSecond);
  }

  private double heapWhenIdle() throws InterruptedException {
    Thread.sleep((long) (untilIdle() * 1e3));
    return heap();
  }

  /** Until timers that are late have rung, too: half as long again, and a second. */
  private double untilIdle() {
    return 1.5 * interval + 1;
  }

  private static void reserve(Pacer pacer, String prefix, int keys) {
    Flux.range(0, keys).flatMap(key -> pacer.reserve(prefix + key), AT_A_TIME).blockLast();
  }

  private static long heap() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private Map<String, String> conditions(Database database) throws SQLException {
    Map<String, String> conditions = Conditions.here();
    conditions.put("database", database.version() + ", synchronous_commit off, loopback");
    conditions.put("memory", "of the heap, live, beyond what the same pacer had before, " + WARM_UP + " other keys used");
    conditions.put("in use", "all were within " + interval + " s, if they were used that fast");
    conditions.put("idle", untilIdle() + " s after the last one was used; tables that have grown stay, so that others find room in them");
    return conditions;
  }
}
