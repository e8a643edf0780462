package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.pacer.Fallback;
import dev.pacer.Logged;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import io.r2dbc.spi.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Outages of up to two minutes, with the settings that a user has. */
@EnabledIfSystemProperty(named = "pacer.faults", matches = "all")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class LongOutageIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @RegisterExtension
  final Cursors cursors = new Cursors();

  private final EmbeddedServer server = new EmbeddedServer(EmbeddedServer.newDirectory(), Map.of("max_connections", "30"));
  private final Database database = FaultScene.postgres(server);
  private final Logged logged = new Logged();

  @AfterEach
  void discard() {
    logged.close();
    server.discard();
  }

  @Test
  @DisplayName("C069: a database that is down at the start, for 30 s, stops nothing, and is found when it is there")
  void downAtTheStart() {
    server.stop();
    long start = System.nanoTime();
    Pacer pacer = pacer(database, 100);
    assertThat(pacer.reserve("key").block(PATIENCE)).isLessThan(Duration.ofSeconds(1));
    assertThat(since(start)).isLessThan(Duration.ofSeconds(5));
    SteadyCalls calls = new SteadyCalls(pacer, "key", 20);
    passUntil(start, Duration.ofSeconds(30));
    server.start();
    long up = System.nanoTime();
    Database.await("shared", Duration.ofSeconds(10), () -> !pacer.isDegraded());
    calls.end();
    assertThat(since(up)).isLessThan(Duration.ofSeconds(10));
    pacer.reserve("key").block(PATIENCE);
    assertThat(database.row("key")).as("the table was created").isNotNull();
    assertThat(logged.of(Level.WARN)).hasSize(1);
    assertThat(logged.of(Level.INFO)).hasSize(1);
    assertThat(calls.errors).isEmpty();
  }

  @Test
  @DisplayName("C070: 50/s, the server is killed and away for 20 s: nobody fails or is stuck, and one connection is left")
  void killedUnderLoad() {
    Pacer pacer = pacer(database, 100);
    pacer.reserve("key").block(PATIENCE);
    SteadyCalls calls = new SteadyCalls(pacer, "key", 50);
    passUntil(System.nanoTime(), Duration.ofSeconds(2));
    server.kill();
    passUntil(System.nanoTime(), Duration.ofSeconds(20));
    server.start();
    Database.await("shared: a latch of 5 s and one attempt", Duration.ofSeconds(7), () -> !pacer.isDegraded());
    passUntil(System.nanoTime(), Duration.ofSeconds(2));
    calls.end();
    assertThat(calls.errors).isEmpty();
    assertThat(calls.started()).isEqualTo(calls.waits.size());
    assertThat(calls.longest()).isLessThan(Duration.ofSeconds(3));
    assertThat(database.sessions("pacer")).isOne();
  }

  @Test
  @DisplayName("C071, C072, C102: a black hole of 60 s costs an attempt a latch and 12 lines, and at most the patience once")
  void aBlackHoleOfAMinute() {
    try (TestProxy proxy = new TestProxy(database)) {
      Pacer pacer = pacer(database.through(proxy.port()), 2_000);
      pacer.reserve("key").block(PATIENCE);
      Database.await("it shares the cursor", PATIENCE, () -> !pacer.isDegraded());
      logged.forget();
      int before = proxy.connections();
      proxy.blackHole();
      long start = System.nanoTime();
      List<SteadyCalls> all = List.of(new SteadyCalls(pacer, "key", 500), new SteadyCalls(pacer, "other", 100), new SteadyCalls(pacer, "third", 20));
      passUntil(start, Duration.ofSeconds(60));
      int attempts = proxy.connections() - before;
      proxy.forward();
      Database.await("shared", PATIENCE, () -> !pacer.isDegraded());
      all.forEach(SteadyCalls::end);
      assertThat(attempts).as("attempts to connect").isLessThanOrEqualTo(13);
      all.forEach(calls -> {
        assertThat(calls.errors).isEmpty();
        assertThat(calls.started()).isEqualTo(calls.waits.size());
        assertThat(calls.longest()).as("the patience, and a pause of this machine").isLessThan(Duration.ofMillis(1_500));
        // ten milliseconds for 99 of 100 where the machine is quiet; the median shows that nobody pays the patience
        assertThat(calls.quantile(0.5)).isLessThan(Duration.ofMillis(10));
        assertThat(calls.quantile(0.97)).isLessThan(Duration.ofMillis(100));
      });
      assertThat(logged.of(Level.WARN)).hasSize(1);
      assertThat(logged.of(Level.INFO)).hasSize(1);
      Database.await("the dead ones are closed", PATIENCE, () -> proxy.openClients() == 1);
    }
  }

  @Test
  @DisplayName("P11: no connection to be had for two minutes costs an attempt a latch and two lines, and no call anything")
  void allConnectionSlotsTakenForTwoMinutes() {
    List<Connection> taken = new ArrayList<>();
    try (TestProxy proxy = new TestProxy(database)) {
      Pacer pacer = pacer(database.through(proxy.port()), 200);
      pacer.reserve("key").block(PATIENCE);
      Database.await("it shares the cursor", PATIENCE, () -> !pacer.isDegraded());
      logged.forget();
      SteadyCalls calls = new SteadyCalls(pacer, "key", 50);
      taken.add(database.open());
      Database.await("it has lost its connection, and gets no other", PATIENCE, () -> takeAllFrom(pacer, taken));
      int before = proxy.connections();
      passUntil(System.nanoTime(), Duration.ofMinutes(2));
      int attempts = proxy.connections() - before;
      assertThat(pacer.isDegraded()).isTrue();
      taken.forEach(connection -> Mono.from(connection.close()).block());
      Database.await("shared: a latch of 5 s and one attempt", Duration.ofSeconds(10), () -> !pacer.isDegraded());
      calls.end();
      assertThat(attempts).as("attempts to connect").isBetween(15, 25);
      assertThat(calls.errors).isEmpty();
      assertThat(calls.started()).isEqualTo(calls.waits.size());
      assertThat(calls.longest()).isLessThan(Duration.ofSeconds(3));
      assertThat(logged.of(Level.WARN)).hasSize(1);
      assertThat(logged.of(Level.WARN).get(0)).contains("1/1 of the pace", "53300");
      assertThat(logged.of(Level.INFO)).hasSize(1);
      assertThat(database.sessions("pacer")).isOne();
    }
  }

  /** Ends its session, and takes all that there are; whether it was too late then. */
  private boolean takeAllFrom(Pacer pacer, List<Connection> taken) {
    Database.rows(taken.get(0), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pacer'")
        .blockLast();
    Faults.takeTheRest(database, taken);
    return pacer.isDegraded();
  }

  @Test
  @DisplayName("C078: a row that is locked for 120 s: its key is paced here, another is not slowed, one session waits")
  void aRowThatIsLockedForTwoMinutes() {
    Pacer pacer = pacer(database, 100);
    pacer.reserve("key").block(PATIENCE);
    pacer.reserve("other").block(PATIENCE);
    Connection stranger = database.open();
    Database.run(stranger, "BEGIN");
    Database.run(stranger, "SELECT * FROM pacer_cursor WHERE key = 'key' FOR UPDATE");
    long start = System.nanoTime();
    SteadyCalls locked = new SteadyCalls(pacer, "key", 10);
    SteadyCalls other = new SteadyCalls(pacer, "other", 10);
    passUntil(start, Duration.ofSeconds(120));
    assertThat(database.sessions("pacer")).isOne();
    Mono.from(stranger.close()).block();
    locked.end();
    other.end();
    assertThat(locked.errors).isEmpty();
    assertThat(other.errors).isEmpty();
    assertThat(locked.longest()).isLessThan(Duration.ofMillis(1_500));
    assertThat(other.longest()).isLessThan(Duration.ofMillis(1_000));
    assertThat(other.quantile(0.5)).isLessThan(Duration.ofMillis(10));
    assertThat(pacer.isDegraded()).isFalse();
    assertThat(logged.of(Level.WARN)).as("one a latch").hasSizeBetween(1, 25);
  }

  @Test
  @DisplayName("C086: 12/s, four processes, ten seconds without the database: a quarter each, and the pace together")
  void eachProcessKeepsToItsShare() {
    List<FaultDiary> diaries = Stream.generate(() -> new FaultDiary(line -> {})).limit(4).toList();
    List<Pacer> pacers =
        diaries.stream()
            .map(diary -> pacer(diary))
            .toList();
    pacers.forEach(pacer -> pacer.reserve("key").block(PATIENCE));
    server.stop();
    long down = System.nanoTime();
    for (int i = 0; i < 4; i++) {
      alwaysWait(pacers.get(i), diaries.get(i));
    }
    Database.await("all know", PATIENCE, () -> pacers.stream().allMatch(Pacer::isDegraded));
    Database.await("ten seconds", PATIENCE, () -> System.nanoTime() - down > Duration.ofSeconds(10).toNanos());
    long end = down + Duration.ofSeconds(10).toNanos();
    List<Long> each = diaries.stream().map(diary -> diary.dispatches("key").stream().filter(d -> d.at() - end < 0).count()).toList();
    assertThat(each).allSatisfy(sent -> assertThat(sent).isBetween(20L, 31L));
    assertThat(each.stream().mapToLong(Long::longValue).sum()).isLessThanOrEqualTo(124);
  }

  @Test
  @DisplayName("C091: 1/s, 20 calls wait, kill -9: the next has its slot in time, and no two lie in one second")
  void aKilledProcessAtOneASecond() {
    try (PacerProcess process = PacerProcess.start(database.url(), "key", 1, 20).ready()) {
      process.go(System.nanoTime());
      Database.await("it books", PATIENCE, () -> database.row("key") != null && database.row("key").seq() > 1);
    }
    long cursor = database.row("key").cursor();
    RecordingCursor places = new RecordingCursor(cursors.on(database));
    Pacer pacer = cursors.pacer(places, builder -> builder.defaultPace(Pace.perSecond(1)));
    Flux.range(0, 5).flatMap(i -> pacer.reserve("key")).blockLast(PATIENCE);
    assertThat(places.places().get(0)).isGreaterThanOrEqualTo(cursor);
    Slots.assertApart(places.places(), Duration.ofSeconds(1));
  }

  private Pacer pacer(FaultDiary diary) {
    return cursors.pacer(
        cursors.with(builder -> builder.url(database.url())),
        builder -> builder.fallback(Fallback.DEFAULT.maxProcesses(4)).defaultPace(Pace.perSecond(12)).listener(diary));
  }

  private static void alwaysWait(Pacer pacer, FaultDiary diary) {
    Flux.range(0, 5)
        .flatMap(i -> pacer.reserve("key").doOnNext(waited -> diary.went("key", waited)).repeat().onErrorComplete(), 5)
        .subscribe();
  }

  private Pacer pacer(Database way, int perSecond) {
    PostgresCursor cursor = cursors.with(builder -> builder.url(way.url()));
    return cursors.pacer(cursor, builder -> builder.fallback(Fallback.DEFAULT.maxProcesses(1)).defaultPace(Pace.perSecond(perSecond)));
  }

  private static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private static void passUntil(long start, Duration time) {
    Database.await("time goes by", time.plus(PATIENCE), () -> since(start).compareTo(time) >= 0);
  }
}
