package dev.pacer.benchmarks;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.postgres.PostgresCursor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A process that is told of a database and then of jobs, a line each, and tells the departures of each. */
public final class Departing {

  static final String READY = "ready";

  /** Nobody is refused: all calls of a job wait from its beginning. */
  private static final Duration BUDGET = Duration.ofHours(1);

  private Departing() {}

  public static void main(String[] arguments) throws IOException {
    Database.quieten();
    Departures.Watch watch = new Departures.Watch();
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String url = orders.readLine();
    if (url == null) {
      return;
    }
    PostgresCursor cursor = PostgresCursor.builder().url(url).table(Database.CURSORS).build();
    try (Pacer pacer = pacer(Pacer.builder().cursor(cursor).defaultPace(Pace.perSecond(1)), watch)) {
      pacer.peek("ready").onErrorComplete().block(); // connects
      System.out.println(READY);
      for (String line = orders.readLine(); line != null; line = orders.readLine()) {
        System.out.println(Departures.of(Departures.Job.ofLine(line), pacer, watch).toLine());
      }
    }
  }

  static Pacer pacer(Pacer.Builder pacer, Departures.Watch watch) {
    return pacer.maxWait(BUDGET).listener(watch).build();
  }
}
