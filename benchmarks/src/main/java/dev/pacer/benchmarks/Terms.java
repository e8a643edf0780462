package dev.pacer.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What everybody is measured under, and where the results go: the options of whoever measures through a database. */
final class Terms {

  @Option(names = "--durable", description = "synchronous_commit on, for everybody.")
  private boolean durable;

  @Option(names = "--round-trip", defaultValue = "0", description = "Added to every round trip, ms. ${DEFAULT-VALUE}")
  private int roundTrip;

  @Option(names = "--results", paramLabel = "FOLDER", description = "Where the results are kept as JSON, if anywhere.")
  private @Nullable Path folder;

  Database open() throws SQLException {
    return Database.open(Duration.ofMillis(roundTrip));
  }

  Contenders contenders(Database database) {
    return new Contenders(database, /* redis= */ null, durable);
  }

  /** The name of a sheet about this, one for each of the terms. */
  String name(String what) {
    return what + (roundTrip == 0 ? "-loopback" : "-" + roundTrip + "-ms-away") + (durable ? "-durable" : "");
  }

  Map<String, String> conditions(Database database) throws SQLException {
    Map<String, String> conditions = new LinkedHashMap<>();
    conditions.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    conditions.put("JDK", Runtime.version().toString());
    conditions.put("processors", String.valueOf(Runtime.getRuntime().availableProcessors()));
    conditions.put("database", database.version());
    conditions.put("synchronous_commit", durable ? "on" : "off");
    conditions.put("round trip", "+" + roundTrip + " ms");
    return conditions;
  }

  void give(Sheet sheet) throws IOException {
    sheet.print(System.out);
    if (folder != null) {
      sheet.write(folder);
    }
  }
}
