package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Fallback;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** A hundred thousand calls that wait when the database comes back. */
class CrowdIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int CROWD = 100_000;
  private static final int PROCESSES = 2;
  private static final Duration IMPATIENT = Duration.ofMillis(400);
  private static final Fallback FALLBACK = FaultMember.fallback().maxProcesses(PROCESSES);

  @RegisterExtension
  final Cursors cursors = new Cursors();

  private final EmbeddedServer server = new EmbeddedServer();
  private final Database database = FaultScene.postgres(server);
  private final TestProxy proxy = new TestProxy(database);
  private final FaultDiary here = new FaultDiary(line -> {});
  private final FaultDiary there = new FaultDiary(line -> {});
  private final Queue<Throwable> errors = new ConcurrentLinkedQueue<>();

  @AfterEach
  void discard() {
    proxy.close();
    server.discard();
  }

  @Test
  void aHundredThousandCallsOfOneKeyAreNoStampedeWhenTheDatabaseIsBack() {
    Pace pace = Pace.perSecond(200);
    Pacer pacer = pacer(cursor(database.through(proxy.port()), IMPATIENT), pace, FALLBACK, here);
    Pacer other = pacer(cursor(database, IMPATIENT), pace, FALLBACK, there);
    Disposable others = crowd(other, there, 1_000, i -> "key");
    Database.await("it shares the cursor", PATIENCE, () -> there.dispatches("key").size() > 20);
    Disposable calls = comeBackTo(pacer, i -> "key");
    long statements = proxy.roundTrips();
    long since = System.nanoTime();
    Database.await("both share again", PATIENCE, () -> here.isBack() && there.isBack());
    goOn(here, "key", 200);
    goOn(there, "key", 200);
    assertThat(proxy.roundTrips() - statements).as("at most one per half a quantum, and some").isLessThan(50 + 25 * seconds(since));
    leave(pacer, calls);
    others.dispose();
    FaultJudge judge = new FaultJudge("key", pace, PROCESSES, List.of(here, there), List.of());
    for (Duration window : List.of(Duration.ofMillis(300), Duration.ofSeconds(1), Duration.ofSeconds(3))) {
      assertThat(judge.worst(window)).as("any %s", window).matches(worst -> worst.above() <= 0, "is within its bound");
    }
  }

  @Test
  void aHundredThousandCallsOfThousandsOfKeysAreNoStampedeWhenTheDatabaseIsBack() {
    int keys = 5_000;
    PostgresCursor cursor = cursor(database.through(proxy.port()), Duration.ofSeconds(5));
    Pacer pacer = pacer(cursor, Pace.perMinute(30), FALLBACK.patience(Duration.ofSeconds(10)), here);
    Disposable calls = comeBackTo(pacer, i -> "key" + i % keys);
    int statements = proxy.roundTrips();
    long since = System.nanoTime();
    Database.await("it shares again", PATIENCE, here::isBack);
    Database.await("each key has been asked for", PATIENCE, () -> database.one("SELECT count(*) FROM pacer_cursor", Long.class) > keys);
    cursor.peek("key").block(PATIENCE); // comes after the looks at all keys
    // claims come together, and then all the time; one by one the looks alone would be twice as many as there are keys
    assertThat(proxy.roundTrips() - statements).isLessThan(1_000 + 250 * (int) seconds(since));
    leave(pacer, calls);
  }

  /** The database goes away, all the calls come to wait, and it is there again. */
  private Disposable comeBackTo(Pacer pacer, IntFunction<String> key) {
    pacer.reserve("warm").block(PATIENCE);
    Database.await("there is a table", PATIENCE, () -> database.hasTable("pacer_cursor_process"));
    Database.await("it has checked in", PATIENCE, () -> database.one("SELECT count(*) FROM pacer_cursor_process", Long.class) > 0);
    server.stop();
    int connections = proxy.connections();
    long away = System.nanoTime();
    Disposable calls = crowd(pacer, here, CROWD, key);
    Database.await("it paces itself", PATIENCE, () -> !here.isBack());
    Database.await("calls go on", PATIENCE, () -> !here.dispatches(key.apply(0)).isEmpty());
    assertThat(proxy.connections() - connections).as("attempts").isLessThanOrEqualTo((int) (2 + 2 * seconds(away)));
    server.start();
    return calls;
  }

  private void leave(Pacer pacer, Disposable calls) {
    assertThat(proxy.openClients()).isOne();
    assertThat(errors).isEmpty();
    long start = System.nanoTime();
    calls.dispose();
    assertThat(pacer.reserve("key").block(PATIENCE)).as("nobody is before it any more").isLessThan(Duration.ofSeconds(5));
    assertThat(seconds(start)).as("seconds to cancel all").isLessThan(10);
  }

  private Disposable crowd(Pacer pacer, FaultDiary diary, int calls, IntFunction<String> key) {
    Disposable.Composite all = Disposables.composite();
    for (int i = 0; i < calls; i++) {
      String name = key.apply(i);
      all.add(pacer.reserve(name).doOnNext(waited -> diary.went(name, waited)).subscribe(waited -> {}, errors::add));
    }
    return all;
  }

  private static void goOn(FaultDiary diary, String key, int calls) {
    int before = diary.dispatches(key).size();
    Database.await("calls go on", PATIENCE, () -> diary.dispatches(key).size() >= before + calls);
  }

  private PostgresCursor cursor(Database way, Duration limit) {
    return cursors.with(builder -> builder.url(way.url()).timeLimit(limit));
  }

  private Pacer pacer(PostgresCursor cursor, Pace pace, Fallback fallback, FaultDiary diary) {
    return cursors.pacer(
        new RecordingCursor(cursor, diary::arrived),
        builder ->
            builder
                .fallback(fallback)
                .defaultPace(pace)
                .maxWait(Duration.ofHours(5))
                .listener(diary));
  }

  private static long seconds(long since) {
    return Duration.ofNanos(System.nanoTime() - since).toSeconds();
  }
}
