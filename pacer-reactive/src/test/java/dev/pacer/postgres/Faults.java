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

  /** So that whoever would wait for as long as the database is away waits too long. */
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(3);

  private Faults() {}

  static Stream<Fault> all() {
    return Stream.of(server(), network(), FaultsOfTheTable.all(), clients(), FaultsBeyond.all()).flatMap(faults -> faults);
  }

  private static Stream<Fault> server() {
    return Stream.of(
        Fault.quick("server restarted", scene -> scene.server.stop(), scene -> scene.server.start()),
        Fault.quick("server killed (kill -9)", scene -> scene.server.kill(), scene -> scene.server.start()).jumping(1),
        Fault.quick("server frozen (SIGSTOP)", scene -> scene.server.freeze(), scene -> scene.server.thaw())
            .lasting(LONG_ENOUGH),
        maxConnections(),
        Fault.quick("read-only", scene -> readOnly(scene, "on"), scene -> readOnly(scene, "off")));
  }

  private static Stream<Fault> network() {
    return Stream.of(
        Fault.quick("packets dropped", scene -> scene.proxies().forEach(TestProxy::blackHole), Faults::forward)
            .lasting(LONG_ENOUGH),
        Fault.slow("connections cut", scene -> scene.proxies().forEach(TestProxy::cut), scene -> {})
            .lasting(Duration.ofMillis(500)),
        Fault.quick("one of three cut off", scene -> scene.proxies().get(0).blackHole(), Faults::forward),
        Fault.slow("two of three cut off", scene -> scene.proxies().subList(0, 2).forEach(TestProxy::blackHole), Faults::forward)
            .lasting(Duration.ofSeconds(4)),
        Fault.slow("flapping each second", Faults::flap, Faults::forward).lasting(Duration.ofMillis(100)),
        Fault.slow("idle connection cut", Faults::cutWhileIdle, scene -> scene.members().forEach(FaultMember::begin))
            .lasting(Duration.ZERO));
  }

  private static Stream<Fault> clients() {
    return Stream.of(
        Fault.slow("client killed (kill -9)", scene -> scene.processes().get(0).send("KILL"), scene -> {})
            .prepared(scene -> scene.children = 1),
        Fault.slow("client frozen (SIGSTOP)", scene -> scene.processes().get(0).send("STOP"), Faults::thaw)
            .prepared(scene -> scene.children = 1)
            .keeping(Duration.ofSeconds(3)),
        Fault.slow("429 storm in an outage", Faults::storm, scene -> scene.server.start()).keeping(COOLDOWN));
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
    return Fault.quick(
        "max_connections reached",
        scene -> {
          taken.add(scene.database.open());
          while (scene.diaries().stream().anyMatch(FaultDiary::isBack)) {
            takeTheRest(scene.database, taken);
            Database.rows(taken.get(0), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pacer'")
                .blockLast();
          }
          takeTheRest(scene.database, taken);
        },
        scene -> taken.forEach(connection -> Mono.from(connection.close()).block()));
  }

  /** Opens connections until there are no more to be had. */
  static void takeTheRest(Database database, List<Connection> taken) {
    while (true) {
      try {
        taken.add(database.open());
      } catch (R2dbcException none) {
        return;
      }
    }
  }

  private static void readOnly(FaultScene scene, String value) {
    scene.database.run("ALTER SYSTEM SET default_transaction_read_only = " + value, "SELECT pg_reload_conf()");
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
