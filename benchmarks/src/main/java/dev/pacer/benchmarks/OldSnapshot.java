package dev.pacer.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Reservations on one key while somebody else in the same database has a transaction open that has read something: a
 * report, a dump, a forgotten session. No version of a row that was replaced since can be cleaned away until it ends, so a
 * row that is replaced often gets slower and slower. And the same without it.
 *
 * <p>{@code java -cp benchmarks/target/benchmarks.jar dev.pacer.benchmarks.OldSnapshot --help}
 */
@Command(name = "OldSnapshot", mixinStandardHelpOptions = true, description = "A hot key beside an old transaction.")
public final class OldSnapshot implements Callable<Integer> {

  /** Without it the transaction would have no snapshot yet. */
  private static final String READ_SOMETHING = "SELECT count(*) FROM pg_class";

  private static final long EVERY = TimeUnit.MILLISECONDS.toNanos(500);

  @Option(names = "--seconds", defaultValue = "40", description = "How long the snapshot is held. ${DEFAULT-VALUE}")
  private int seconds;

  @Option(names = "--callers", defaultValue = "64", description = "${DEFAULT-VALUE}")
  private int callers;

  @Mixin private final Terms terms = new Terms();

  private OldSnapshot() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new OldSnapshot()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    try (Database database = terms.open()) {
      Contenders all = terms.contenders(database);
      List<Contender> contenders =
          List.of(
              all.pacer(callers, 1, Ceiling.pace()).named("pacer"),
              all.bucket4j(callers, 1, Buckets.Way.BATCHING, callers).named("Bucket4j batching"),
              all.bucket4j(callers, 1, Buckets.Way.SELECT_FOR_UPDATE, Contenders.ELASTIC).named("Bucket4j"));
      Map<String, List<double[]>> courses = new LinkedHashMap<>();
      for (Contender contender : contenders) {
        courses.put(contender.name(), course(database, contender));
        try (Connection old = database.aside()) {
          hold(old);
          courses.put(contender.name() + ", old snapshot", course(database, contender));
          old.rollback();
        }
      }
      terms.give(sheet(terms.conditions(database), courses));
    }
    return 0;
  }

  private static void hold(Connection old) throws SQLException {
    old.setAutoCommit(false);
    old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    try (Statement statement = old.createStatement()) {
      statement.execute(READ_SOMETHING);
    }
  }

  /** Seconds since the beginning, and reservations per second since the point before. */
  private List<double[]> course(Database database, Contender contender) throws Exception {
    database.createTables();
    try (Contender.Match match = contender.open()) {
      ClosedLoop loop = ClosedLoop.start(match, contender.callers());
      List<double[]> course = new ArrayList<>();
      long start = System.nanoTime();
      long before = start;
      long served = loop.served();
      while (before - start < TimeUnit.SECONDS.toNanos(seconds)) {
        LockSupport.parkNanos(EVERY);
        long now = System.nanoTime();
        long more = loop.served();
        course.add(new double[] {(now - start) / 1e9, (more - served) * 1e9 / (now - before)});
        before = now;
        served = more;
      }
      loop.stop();
      return course;
    }
  }

  private Sheet sheet(Map<String, String> conditions, Map<String, List<double[]>> courses) {
    conditions.put("callers", callers + ", hot key");
    conditions.put("snapshot", "held for " + seconds + " s, REPEATABLE READ, idle in transaction");
    List<String> columns =
        List.of("reservations/s at the end", "reservations/s at the beginning", "reservations/s over all");
    List<Sheet.Row> rows = new ArrayList<>();
    List<Sheet.Curve> curves = new ArrayList<>();
    courses.forEach(
        (name, course) -> {
          int tenth = Math.max(1, course.size() / 10);
          Map<String, Sheet.Figure> figures = new LinkedHashMap<>();
          figures.put(columns.get(0), perSecond(course.subList(course.size() - tenth, course.size())));
          figures.put(columns.get(1), perSecond(course.subList(0, tenth)));
          figures.put(columns.get(2), perSecond(course));
          rows.add(new Sheet.Row(name, figures));
          curves.add(new Sheet.Curve(name, "seconds", "reservations/s", course));
        });
    String title = "A hot key beside an old snapshot, " + callers + " callers";
    return new Sheet(terms.name("old-snapshot"), title, conditions, columns, rows, curves);
  }

  private static Sheet.Figure perSecond(List<double[]> points) {
    return Sheet.Figure.of(points.stream().mapToDouble(point -> point[1]).toArray());
  }
}
