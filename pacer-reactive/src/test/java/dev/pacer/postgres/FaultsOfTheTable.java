package dev.pacer.postgres;

import io.r2dbc.spi.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/** What others can do to the table, to its rows, and to the clock that they are measured by. */
final class FaultsOfTheTable {
  private FaultsOfTheTable() {}

  static Stream<Fault> all() {
    return Stream.of(
        Fault.quick("TRUNCATE", scene -> scene.database.run("TRUNCATE pacer_cursor"), scene -> {})
            .lasting(Duration.ofMillis(500))
            .jumping(1),
        Fault.slow("row deleted", scene -> scene.database.run("DELETE FROM pacer_cursor WHERE key = 'steady'"), scene -> {})
            .lasting(Duration.ofMillis(500))
            .jumping(1),
        Fault.quick("table dropped", scene -> scene.database.run("DROP TABLE pacer_cursor"), scene -> {})
            .lasting(Duration.ofMillis(500))
            .jumping(1),
        lock().lasting(Duration.ofSeconds(10)),
        Fault.slow("statements too slow", FaultsOfTheTable::slowDown, FaultsOfTheTable::speedUp).lasting(Duration.ofSeconds(4)),
        clock("1 hour"),
        clock("-1 hour"));
  }

  private static Fault lock() {
    List<Connection> other = new ArrayList<>();
    return Fault.slow(
        "lock held for 10 s",
        scene -> {
          other.add(scene.database.open());
          Database.run(other.get(0), "BEGIN");
          Database.run(other.get(0), "SELECT * FROM pacer_cursor WHERE key = 'steady' FOR UPDATE");
        },
        scene -> other.forEach(connection -> Mono.from(connection.close()).block()));
  }

  private static void slowDown(FaultScene scene) {
    scene.database.run(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS"
            + " 'BEGIN PERFORM pg_sleep(2); RETURN NEW; END'",
        "CREATE TRIGGER slow BEFORE INSERT OR UPDATE ON pacer_cursor FOR EACH ROW EXECUTE FUNCTION slow()");
  }

  private static void speedUp(FaultScene scene) {
    scene.database.run("DROP TRIGGER slow ON pacer_cursor");
  }

  /** Forth and back again: a function of the same name is found before the server's own. */
  private static Fault clock(String by) {
    return Fault.slow("clock of the database " + by, scene -> skew(scene, by), scene -> skew(scene, "0"))
        .prepared(
            scene ->
                scene.database.run(
                    "CREATE TABLE skew AS SELECT interval '0' AS by",
                    "CREATE SCHEMA fake",
                    "CREATE FUNCTION fake.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS"
                        + " 'SELECT pg_catalog.clock_timestamp() + (SELECT by FROM public.skew)'",
                    "ALTER DATABASE " + scene.database.name() + " SET search_path = fake, pg_catalog, public"))
        .jumping(2);
  }

  private static void skew(FaultScene scene, String by) {
    scene.database.run("UPDATE public.skew SET by = '" + by + "'");
  }
}
