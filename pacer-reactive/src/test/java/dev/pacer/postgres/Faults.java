package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.R2dbcException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/** What a server, a network and a client can do to each other. */
final class Faults {
  private static final Duration COOLDOWN = Duration.ofSeconds(2);

  private Faults() {}

  static Stream<Fault> all() {
    return Stream.of(server(), network(), contents(), clients(), FaultsBeyond.all()).flatMap(faults -> faults);
  }

  private static Stream<Fault> server() {
    return Stream.of(
        Fault.of("server restarted", scene -> scene.server.stop(), scene -> scene.server.start()),
        Fault.of("server killed (kill -9)", scene -> scene.server.kill(), scene -> scene.server.start()).forgetting(),
        Fault.of("server frozen (SIGSTOP)", scene -> scene.server.freeze(), scene -> scene.server.thaw()),
        maxConnections(),
        Fault.of("read-only", scene -> readOnly(scene, "on"), scene -> readOnly(scene, "off")));
  }

  private static Stream<Fault> network() {
    return Stream.of(
        Fault.of("packets dropped", scene -> scene.proxies().forEach(TestProxy::blackHole), Faults::forward),
        Fault.of("connections cut", scene -> scene.proxies().forEach(TestProxy::cut), scene -> {})
            .lasting(Duration.ofMillis(500))
            .slow(),
        Fault.of("one of three cut off", scene -> scene.proxies().get(0).blackHole(), Faults::forward),
        Fault.of("two of three cut off", scene -> scene.proxies().subList(0, 2).forEach(TestProxy::blackHole), Faults::forward)
            .lasting(Duration.ofSeconds(4))
            .slow(),
        Fault.of("flapping each second", Faults::flap, Faults::forward).lasting(Duration.ofMillis(100)).slow(),
        Fault.of("idle connection cut", Faults::cutWhileIdle, scene -> scene.members().forEach(FaultMember::begin))
            .lasting(Duration.ZERO)
            .slow());
  }

  private static Stream<Fault> contents() {
    return Stream.of(
        Fault.of("TRUNCATE", scene -> scene.database.run("TRUNCATE pacer_cursor"), scene -> {})
            .lasting(Duration.ofMillis(500))
            .forgetting(),
        Fault.of("row deleted", scene -> scene.database.run("DELETE FROM pacer_cursor WHERE key = 'steady'"), scene -> {})
            .lasting(Duration.ofMillis(500))
            .forgetting()
            .slow(),
        Fault.of("table dropped", scene -> scene.database.run("DROP TABLE pacer_cursor"), scene -> {})
            .lasting(Duration.ofMillis(500))
            .forgetting(),
        lock().lasting(Duration.ofSeconds(5)).slow(),
        Fault.of("statements too slow", Faults::slowDown, Faults::speedUp).lasting(Duration.ofSeconds(4)).slow(),
        clock("1 hour").slow(),
        clock("-1 hour").slow());
  }

  private static Stream<Fault> clients() {
    return Stream.of(
        Fault.of("client killed (kill -9)", scene -> scene.processes().get(0).send("KILL"), scene -> {})
            .prepared(scene -> scene.children = 1)
            .slow(),
        Fault.of("client frozen (SIGSTOP)", scene -> scene.processes().get(0).send("STOP"), Faults::thaw)
            .prepared(scene -> scene.children = 1)
            .slow(),
        Fault.of("429 storm in an outage", Faults::storm, scene -> scene.server.start()).slow());
  }

  private static void forward(FaultScene scene) {
    scene.proxies().forEach(TestProxy::forward);
  }

  private static void flap(FaultScene scene) {
    long start = System.nanoTime();
    for (int i = 0; i < 8; i++) {
      scene.proxies().forEach(TestProxy::blackHole);
      scene.pass(Duration.ofSeconds(1));
      forward(scene);
      scene.proxies().forEach(TestProxy::cut); // what was dropped does not come later
      scene.pass(Duration.ofSeconds(1));
    }
    scene.assertPaceKept(start, System.nanoTime());
  }

  private static void cutWhileIdle(FaultScene scene) {
    scene.members().forEach(FaultMember::pause);
    scene.pass(Duration.ofSeconds(2));
    scene.proxies().forEach(TestProxy::cut);
  }

  /** Each connection that a process loses is taken before it can have it again. */
  private static Fault maxConnections() {
    List<Connection> taken = new ArrayList<>();
    return Fault.of(
        "max_connections reached",
        scene -> {
          taken.add(scene.database.open());
          while (scene.diaries().stream().anyMatch(FaultDiary::isBack)) {
            takeTheRest(scene, taken);
            Database.rows(taken.get(0), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pacer'")
                .blockLast();
          }
          takeTheRest(scene, taken);
        },
        scene -> taken.forEach(connection -> Mono.from(connection.close()).block()));
  }

  private static void takeTheRest(FaultScene scene, List<Connection> taken) {
    while (true) {
      try {
        taken.add(scene.database.open());
      } catch (R2dbcException none) {
        return;
      }
    }
  }

  private static void readOnly(FaultScene scene, String value) {
    scene.database.run("ALTER SYSTEM SET default_transaction_read_only = " + value, "SELECT pg_reload_conf()");
  }

  private static Fault lock() {
    List<Connection> other = new ArrayList<>();
    return Fault.of(
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
    return Fault.of("clock of the database " + by, scene -> skew(scene, by), scene -> skew(scene, "0"))
        .prepared(
            scene ->
                scene.database.run(
                    "CREATE TABLE skew AS SELECT interval '0' AS by",
                    "CREATE SCHEMA fake",
                    "CREATE FUNCTION fake.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS"
                        + " 'SELECT pg_catalog.clock_timestamp() + (SELECT by FROM public.skew)'",
                    "ALTER DATABASE " + scene.database.name() + " SET search_path = fake, pg_catalog, public"))
        .forgetting();
  }

  private static void skew(FaultScene scene, String by) {
    scene.database.run("UPDATE public.skew SET by = '" + by + "'");
  }

  private static void thaw(FaultScene scene) {
    scene.processes().get(0).send("CONT");
    scene.allGoOn(3);
  }

  /** The first 20 are one cooldown, which the others, that say less, do not shorten. */
  private static void storm(FaultScene scene) {
    scene.server.stop();
    Database.await("all are without it", Duration.ofSeconds(10), () -> scene.diaries().stream().noneMatch(FaultDiary::isBack));
    for (FaultMember member : scene.members()) {
      long at = System.nanoTime();
      member.hears(20, "steady", COOLDOWN);
      member.hears(20, "steady", COOLDOWN.dividedBy(2));
      long heard = System.nanoTime();
      scene.with(() -> assertSilent(member, heard, at + COOLDOWN.toNanos()));
    }
    assertThat(scene.members()).allMatch(member -> member.pacer().gate("steady").strikes() == 1);
  }

  /** A call that was on its way when the first 429 came may still be noted. */
  private static void assertSilent(FaultMember member, long heard, long until) {
    long from = heard + Duration.ofMillis(20).toNanos();
    assertThat(member.diary().dispatches("steady"))
        .noneMatch(dispatch -> dispatch.at() - from > 0 && dispatch.at() - until < 0);
  }
}
