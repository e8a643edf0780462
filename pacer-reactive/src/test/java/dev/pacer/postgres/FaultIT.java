package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every fault that can be injected, on a real server, with three processes that share two keys and always have calls
 * waiting. Of each it must be seen that the dispatches of all together stay within the bound, that nobody waits beyond
 * the budget, that no call fails, and that nothing is left behind.
 *
 * <p>Each build tries those that are quick; {@code -Dpacer.faults=all} tries all, {@code -Dpacer.faults=clock} those whose
 * names contain that. The table is in {@code target/faults.txt}.
 */
class FaultIT {
  private static final String CHOICE = System.getProperty("pacer.faults", "");
  private static final int CALLS_AFTER = CHOICE.isEmpty() ? 3 : 8;
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final List<Duration> WINDOWS =
      List.of(Duration.ofMillis(300), Duration.ofSeconds(1), Duration.ofSeconds(3));
  private static final FaultTable table = new FaultTable();

  private static EmbeddedServer server;
  private static int databases;

  static Stream<Fault> faults() {
    return Faults.all().filter(fault -> fault.isChosen(CHOICE));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void theCeilingHoldsAndCallsGoOn(Fault fault) throws Exception {
    try (FaultScene scene = scene()) {
      fault.prepare().on(scene);
      scene.begin();
      long broken = System.nanoTime();
      fault.breaks().on(scene);
      scene.membersGoOn(fault.lasts().isZero() ? 0 : 2);
      scene.passSince(broken, fault.lasts());
      fault.mends().on(scene);
      long mended = System.nanoTime();
      Database.await("all share the cursor", PATIENCE, scene::allAreBack);
      long recovered = System.nanoTime();
      scene.membersGoOn(CALLS_AFTER);
      scene.end();
      judge(fault, scene, broken, mended, recovered);
      assertNothingIsLeft(scene);
    } catch (Throwable failed) {
      discardServer();
      throw failed;
    }
  }

  private static void judge(Fault fault, FaultScene scene, long broken, long mended, long recovered) {
    List<FaultDiary> diaries = scene.diaries();
    List<FaultDiary.Absence> jumps =
        switch (fault.jumps()) {
          case 0 -> List.of();
          case 1 -> List.of(new FaultDiary.Absence(broken, recovered));
          default -> List.of(new FaultDiary.Absence(broken, mended), new FaultDiary.Absence(mended, recovered));
        };
    Map<String, FaultJudge> judges = new TreeMap<>();
    FaultMember.PACES.forEach(
        (key, pace) -> judges.put(key, new FaultJudge(key, pace, FaultMember.PROCESSES, diaries, jumps)));
    table.add(fault, judges.values(), diaries, broken, Duration.ofNanos(recovered - mended));
    judges.forEach(
        (key, judge) ->
            WINDOWS.forEach(
                length ->
                    assertThat(judge.worst(length))
                        .as("%s in any %s", key, length)
                        .matches(window -> window.above() <= 0, "is within its bound")));
    assertThat(diaries).allSatisfy(diary -> assertThat(diary.failures()).isEmpty());
    assertThat(FaultTable.longestWait(diaries)).isLessThanOrEqualTo(FaultMember.LONGEST_TURN.plus(fault.keeps()));
  }

  private static void assertNothingIsLeft(FaultScene scene) {
    Database.await("no timer thread", PATIENCE, () -> threads("pacer-timer") == 0);
    Database.await(
        "no connection", PATIENCE, () -> scene.proxies().stream().allMatch(proxy -> proxy.openClients() == 0));
    if (scene.countsSessions) {
      Database.await("no session", PATIENCE, () -> scene.database.sessions("pacer") == 0);
    }
  }

  private static long threads(String name) {
    return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith(name)).count();
  }

  private static FaultScene scene() {
    if (server == null) {
      server = new EmbeddedServer(EmbeddedServer.newDirectory(), Map.of("max_connections", "30"));
    }
    Database first = FaultScene.postgres(server);
    String name = "fault_" + ++databases;
    first.run("CREATE DATABASE " + name);
    return new FaultScene(server, new Database(first.url().replaceFirst("postgres$", name)));
  }

  /** It may be frozen, full or what not. */
  private static void discardServer() {
    if (server != null) {
      server.kill();
      server.discard();
      server = null;
    }
  }

  @AfterAll
  static void printTheTable() throws IOException {
    discardServer();
    String text = table.text();
    System.out.println(text);
    Files.writeString(Path.of("target", "faults.txt"), text);
  }
}
