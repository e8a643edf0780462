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
      Map<String, Course> courses = new LinkedHashMap<>();
      for (Contender contender : contenders) {
        courses.put(contender.name(), course(database, contender));
        try (Connection old = database.aside()) {
          hold(old);
          courses.put(contender.name() + ", old snapshot", course(database, contender));
          old.rollback();
        }
      }
      terms.give(Goals.ofOldSnapshot(sheet(terms.conditions(database), courses)));
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

  /**
   * What one contender did over the time.
   *
   * @param points seconds since the beginning, and reservations per second since the point before
   * @param degraded how often the contender gave up the store for a while: such a course says nothing
   */
  private record Course(List<double[]> points, int degraded) {

    Sheet.Figure perSecond(int from, int to) {
      return Sheet.Figure.of(points.subList(from, to).stream().mapToDouble(point -> point[1]).toArray());
    }
  }

  private Course course(Database database, Contender contender) throws Exception {
    database.createTables();
    try (Contender.Match match = contender.open()) {
      ClosedLoop loop = ClosedLoop.start(match, contender.callers());
      List<double[]> points = new ArrayList<>();
      long start = System.nanoTime();
      long before = start;
      long served = loop.served();
      while (before - start < TimeUnit.SECONDS.toNanos(seconds)) {
        LockSupport.parkNanos(EVERY);
        long now = System.nanoTime();
        long more = loop.served();
        points.add(new double[] {(now - start) / 1e9, (more - served) * 1e9 / (now - before)});
        before = now;
        served = more;
      }
      loop.stop();
      return new Course(points, match.degraded());
    }
  }

  private Sheet sheet(Map<String, String> conditions, Map<String, Course> courses) {
    conditions.put("callers", callers + ", hot key");
    conditions.put("snapshot", "held for " + seconds + " s, REPEATABLE READ, idle in transaction");
    List<Sheet.Row> rows = new ArrayList<>();
    List<Sheet.Curve> curves = new ArrayList<>();
    courses.forEach(
        (name, course) -> {
          rows.add(new Sheet.Row(name, figures(course)));
          curves.add(new Sheet.Curve(name, "seconds", "reservations/s", course.points()));
        });
    List<String> columns = List.copyOf(rows.get(0).figures().keySet());
    String title = "A hot key beside an old snapshot, " + callers + " callers";
    return new Sheet(terms.name("old-snapshot"), title, conditions, columns, rows, curves);
  }

  private static Map<String, Sheet.Figure> figures(Course course) {
    int length = course.points().size();
    int tenth = Math.max(1, length / 10);
    Map<String, Sheet.Figure> figures = new LinkedHashMap<>();
    figures.put("reservations/s, last tenth", course.perSecond(length - tenth, length));
    figures.put("reservations/s, first tenth", course.perSecond(0, tenth));
    figures.put("reservations/s, all", course.perSecond(0, length));
    figures.put("degraded", Sheet.Figure.of(course.degraded()));
    return figures;
  }
}
