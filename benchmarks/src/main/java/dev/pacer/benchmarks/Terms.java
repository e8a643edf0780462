package dev.pacer.benchmarks;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What everybody is measured under, and where the results go: the options of whoever measures through a database. */
final class Terms {

  @Option(names = "--durable", description = "synchronous_commit on, for everybody.")
  private boolean durable;

  @Option(names = "--round-trip", defaultValue = "0", description = "Added to every round trip, ms. ${DEFAULT-VALUE}")
  private int roundTrip;

  @Mixin private final Results results = new Results();

  boolean durable() {
    return durable;
  }

  /** What is added to every round trip. */
  Duration roundTrip() {
    return Duration.ofMillis(roundTrip);
  }

  Database open() throws SQLException {
    return Database.open(roundTrip());
  }

  Contenders contenders(Database database) {
    return contenders(database, null);
  }

  Contenders contenders(Database database, @Nullable Redis redis) {
    return new Contenders(database, redis, durable);
  }

  /** The name of a sheet about this, one for each of the terms. */
  String name(String what) {
    return what + (roundTrip == 0 ? "-loopback" : "-" + roundTrip + "-ms-away") + (durable ? "-durable" : "");
  }

  Map<String, String> conditions(Database database) throws SQLException {
    Map<String, String> conditions = Conditions.here();
    conditions.put("database", database.version());
    conditions.put("synchronous_commit", durable ? "on" : "off");
    conditions.put("round trip", "+" + roundTrip + " ms");
    return conditions;
  }

  void give(Sheet sheet) throws IOException {
    results.add(sheet);
  }

  @Override
  public String toString() {
    return (roundTrip == 0 ? "loopback" : roundTrip + " ms away") + (durable ? ", durable" : "");
  }
}
