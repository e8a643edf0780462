package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Fallback;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A server that may be broken, a database of its own on it, and three processes that share it: pacers in this JVM, each
 * with a cursor of its own and a proxy before it, or real processes in place of some.
 */
final class FaultScene implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  EmbeddedServer server;
  Database database;

  /** Whether its sessions are those of the processes, and not of something between. */
  boolean countsSessions = true;

  /** The way to the database, before which the proxies stand. */
  Database reach;

  /** The URL of all, for those who need no proxies; or null. */
  String directUrl;

  UnaryOperator<PostgresCursor.Builder> settings = UnaryOperator.identity();
  Fallback fallback = FaultMember.fallback();

  /** How many of the three are processes of their own. */
  int children;

  private final List<TestProxy> proxies = new ArrayList<>();
  private final List<FaultMember> members = new ArrayList<>();
  private final List<FaultProcess> processes = new ArrayList<>();
  private final List<Closeable> others = new ArrayList<>();

  FaultScene(EmbeddedServer server, Database database) {
    this.server = server;
    this.database = database;
    this.reach = database;
  }

  /** Another server than the one that all faults share. */
  void uses(EmbeddedServer other) {
    server = other;
    database = postgres(other);
    reach = database;
  }

  static Database postgres(EmbeddedServer server) {
    return new Database("r2dbc:postgresql://postgres:postgres@localhost:" + server.port() + "/postgres");
  }

  /** Lets time go by for the calls that are under way. */
  void pass(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    Database.await("time goes by", time.plus(PATIENCE), () -> System.nanoTime() - end >= 0);
  }

  void passSince(long start, Duration time) {
    pass(Duration.ofNanos(Math.max(0, start + time.toNanos() - System.nanoTime())));
  }

  /** Starts all, and returns once all have shared the cursor for a while. */
  void begin() {
    for (int i = 0; i < children; i++) {
      processes.add(FaultProcess.start(reach.url()));
    }
    for (int i = children; i < FaultMember.PROCESSES; i++) {
      members.add(member());
    }
    members.forEach(FaultMember::begin);
    allGoOn(1);
    Database.await("all share the cursor", PATIENCE, this::allAreBack);
    allGoOn(1);
  }

  private FaultMember member() {
    String url = directUrl;
    if (url == null) {
      TestProxy proxy = new TestProxy(reach);
      proxies.add(proxy);
      url = reach.through(proxy.port()).url();
    }
    return new FaultMember(url, settings, fallback, new FaultDiary(line -> {}));
  }

  /** Waits until each process has let so many more calls of each key go. */
  void allGoOn(int calls) {
    goOn(diaries(), calls);
  }

  /** The same for those that were not tampered with. */
  void membersGoOn(int calls) {
    goOn(members.stream().map(FaultMember::diary).toList(), calls);
  }

  private static void goOn(List<FaultDiary> diaries, int calls) {
    List<Runnable> waits = new ArrayList<>();
    for (FaultDiary diary : diaries) {
      for (String key : FaultMember.PACES.keySet()) {
        int least = diary.dispatches(key).size() + calls;
        waits.add(
            () ->
                Database.await(
                    "each process lets calls of " + key + " go",
                    PATIENCE,
                    () -> {
                      assertThat(diary.failures()).isEmpty();
                      return diary.dispatches(key).size() >= least;
                    }));
      }
    }
    waits.forEach(Runnable::run);
  }

  boolean allAreBack() {
    return diaries().stream().allMatch(FaultDiary::isBack);
  }

  List<FaultDiary> diaries() {
    return Stream.concat(members.stream().map(FaultMember::diary), processes.stream().map(FaultProcess::diary)).toList();
  }

  /** That, coming and going as the cursor may, they have together sent no more than the pace, and what was in hand. */
  void assertPaceKept(long from, long to) {
    FaultMember.PACES.forEach(
        (key, pace) -> {
          long sent =
              diaries().stream()
                  .flatMap(diary -> diary.dispatches(key).stream())
                  .filter(dispatch -> dispatch.due() - from >= 0 && dispatch.at() - to < 0)
                  .count();
          long allowed = (to - from) / pace.interval().toNanos() + pace.burst() + FaultJudge.inHand(pace, FaultMember.PROCESSES);
          assertThat(sent).as(key).isLessThanOrEqualTo(allowed);
        });
  }

  List<FaultMember> members() {
    return members;
  }

  List<FaultProcess> processes() {
    return processes;
  }

  List<TestProxy> proxies() {
    return proxies;
  }

  /** Is closed at the end, the latest first. */
  <T extends Closeable> T with(T other) {
    others.add(0, other);
    return other;
  }

  /** Ends all calls and closes all pacers; their diaries stay. */
  void end() {
    members.forEach(FaultMember::pause);
    processes.forEach(FaultProcess::close);
    members.forEach(FaultMember::close);
  }

  @Override
  public void close() throws IOException {
    end();
    for (Closeable other : others) {
      other.close();
    }
    proxies.forEach(TestProxy::close);
  }
}
