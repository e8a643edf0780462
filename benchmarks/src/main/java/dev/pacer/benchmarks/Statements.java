package dev.pacer.benchmarks;

import dev.pacer.Pacer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * How many statements a second one process makes for one key at a million slots a second, by how many callers want
 * them. They come back as soon as they went on.
 *
 * <p>{@code java -Xmx2g -cp benchmarks/target/benchmarks.jar dev.pacer.benchmarks.Statements --help}
 */
@Command(name = "Statements", mixinStandardHelpOptions = true, description = "Statements for one fast key, counted.")
public final class Statements implements Callable<Integer> {

  private static final List<String> COLUMNS = List.of("dispatches/s", "statements/s", "dispatches per statement");

  @Option(names = "--callers", split = ",", defaultValue = "500,5000,50000,200000", description = "${DEFAULT-VALUE}")
  private int[] callers = {};

  @Option(names = "--seconds", defaultValue = "5", description = "Counted, after a second. ${DEFAULT-VALUE}")
  private double seconds;

  @Option(names = "--round-trip", defaultValue = "0", description = "Added to every round trip, ms. ${DEFAULT-VALUE}")
  private int roundTrip;

  @Mixin private final Results results = new Results();

  Statements() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Statements()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    try (Database database = Database.open(Duration.ofMillis(roundTrip))) {
      List<Sheet.Row> rows = new ArrayList<>();
      for (int n : callers) {
        rows.add(count(database, n));
      }
      String name = roundTrip == 0 ? "statements-loopback" : "statements-far";
      Sheet sheet = new Sheet(name, "Statements for one key at 1 000 000/s", conditions(database), COLUMNS, rows, List.of());
      results.add(Goals.ofStatements(sheet));
    }
    return 0;
  }

  private Sheet.Row count(Database database, int callers) throws InterruptedException {
    CountingConnections connections = new CountingConnections(database.connections());
    Pacer pacer =
        Pacer.builder()
            .cursor(database.cursor(/* durable= */ false).connectionFactory(connections).build())
            .defaultPace(Ceiling.pace())
            .build();
    LongAdder dispatches = new LongAdder();
    Disposable.Composite all = Disposables.composite();
    for (int i = 0; i < callers; i++) {
      all.add(pacer.reserve("hot").doOnNext(waited -> dispatches.increment()).repeat().subscribe());
    }
    Thread.sleep(1_000);
    long dispatchesBefore = dispatches.sum();
    long statementsBefore = connections.statements();
    long start = System.nanoTime();
    Thread.sleep((long) (seconds * 1e3));
    double nanos = System.nanoTime() - start;
    double dispatched = dispatches.sum() - dispatchesBefore;
    double statements = connections.statements() - statementsBefore;
    all.dispose();
    pacer.close();
    pacer.whenClosed().block();
    String name = String.format(Locale.ROOT, "%,d callers", callers);
    return Accuracy.row(name, COLUMNS, dispatched * 1e9 / nanos, statements * 1e9 / nanos, dispatched / statements);
  }

  private Map<String, String> conditions(Database database) throws Exception {
    Map<String, String> conditions = Conditions.here();
    conditions.put("database", database.version() + ", synchronous_commit off, round trip +" + roundTrip + " ms");
    conditions.put("seconds", Double.toString(seconds));
    conditions.put("processes", "1");
    return conditions;
  }
}
