package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Backoff;
import dev.pacer.Call;
import dev.pacer.Cursor;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.RateLimitedException;
import dev.pacer.Sent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/** One gate for all pacers that share a database. */
class GateIT {
  private static final String KEY = "api.example.com";
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final GateTable table = GateTable.fresh();
  private final List<Pacer> pacers = new ArrayList<>();

  @AfterEach
  void close() {
    pacers.forEach(Pacer::close);
    pacers.forEach(pacer -> pacer.whenClosed().block(PATIENCE));
    table.close();
  }

  private Pacer pacer(double perSecond) {
    return pacer(table.url(), perSecond, cursor -> cursor);
  }

  private Pacer pacer(String url, double perSecond, UnaryOperator<PostgresCursor.Builder> settings) {
    PostgresCursor.Builder cursor = PostgresCursor.builder().url(url).timeLimit(Duration.ofSeconds(10));
    Pacer pacer = Pacer.builder().fallback(Cursors.PATIENT)
        .cursor(settings.apply(cursor).build())
        .backoff(Backoff.DEFAULT.jitter(Duration.ZERO).widening(0, 20, true))
        .defaultPace(Pace.perSecond(perSecond))
        .build();
    pacers.add(pacer);
    return pacer;
  }

  /** When so many calls were let through. */
  private static Queue<Long> send(Pacer pacer, int calls) {
    Queue<Long> times = new ConcurrentLinkedQueue<>();
    Flux.range(0, calls).flatMap(i -> pacer.reserve(KEY), calls).subscribe(waited -> times.add(System.nanoTime()), error -> {});
    return times;
  }

  private static void await(String what, BooleanSupplier holds) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("in time: " + what).isNegative();
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** How long it takes until it is so. */
  private static Duration until(BooleanSupplier holds) {
    long start = System.nanoTime();
    await("it is so", holds);
    return Duration.ofNanos(System.nanoTime() - start);
  }

  @Test
  @DisplayName("P6: others learn of it by notification; and it shuts at once where it was heard")
  void othersLearnOfACooldownByNotification() {
    Pacer one = pacer(0.05);
    Pacer two = pacer(0.05);
    two.reserve(KEY).block(PATIENCE);
    one.reserve("another").block(PATIENCE);
    List<Duration> took = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Duration longer = Duration.ofSeconds(100 + 10 * i);
      one.coolDown(KEY, longer);
      assertThat(one.inCooldown(KEY)).isTrue();
      took.add(until(() -> two.remaining(KEY).compareTo(longer.minusSeconds(2)) > 0));
    }
    took.sort(null);
    assertThat(took.get(4)).as("the median of %s", took).isLessThan(Duration.ofMillis(50));
  }

  @Test
  void slotsInHandOfAnotherPacerAreDropped() {
    Pacer one = pacer(500);
    Pacer two = pacer(500);
    one.reserve(KEY).block(PATIENCE);
    Queue<Long> times = send(two, 500);
    await("it goes", () -> times.size() > 50);
    one.coolDown(KEY, Duration.ofSeconds(2));
    long stopped = System.nanoTime();
    await("all go in the end", () -> times.size() == 500);
    long opens = stopped + Duration.ofMillis(1_950).toNanos();
    assertThat(times.stream().filter(at -> at > stopped + 50_000_000 && at < opens)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whoMayNotListenLearnsAtTheNextReservation(boolean known) {
    Pacer one = pacer(50);
    Pacer two = pacer(table.url(), 50, cursor -> cursor.notifications(false));
    if (known) {
      two.reserve(KEY).block(PATIENCE);
    }
    one.coolDown(KEY, Duration.ofSeconds(2));
    long stopped = System.nanoTime();
    await("the row knows", () -> table.row(KEY) != null && table.row(KEY).gate().generation() == 1);
    assertThat(two.inCooldown(KEY)).isFalse();
    two.reserve(KEY).block(PATIENCE);
    assertThat(System.nanoTime() - stopped).isGreaterThan(Duration.ofMillis(1_950).toNanos());
  }

  @Test
  @DisplayName("notices lost while the connection was cut are made up for")
  void whatWasMissedWhileTheConnectionWasCutIsMadeUpFor() {
    Pacer one = pacer(0.05);
    one.reserve(KEY).block(PATIENCE);
    table.run("UPDATE pacer_cursor SET generation = 1, strikes = 1, shut_until = " + (table.now() + 60_000_000_000L)
        + " WHERE key = '" + KEY + "'"); // nobody is notified
    LockSupport.parkNanos(100_000_000);
    assertThat(one.inCooldown(KEY)).isFalse();
    table.terminate("pacer");
    await("it has looked", () -> one.inCooldown(KEY));
    Pacer two = pacer(0.05);
    two.coolDown(KEY, Duration.ofSeconds(120));
    await("it listens again", () -> one.remaining(KEY).toSeconds() > 100);
  }

  @Test
  @DisplayName("a cooldown told while the database is away reaches the others when it is back")
  void aCooldownToldWhileTheDatabaseIsAwayReachesTheOthers() {
    TestDatabase server = TestDatabase.startPrivate();
    GateTable there = GateTable.on(server.url());
    Pacer one = pacer(server.url(), 0.05, cursor -> cursor);
    Pacer two = pacer(server.url(), 0.05, cursor -> cursor);
    one.reserve(KEY).block(PATIENCE);
    two.reserve("another").block(PATIENCE);
    there.close();
    server.stop();
    one.coolDown(KEY, Duration.ofSeconds(120));
    assertThat(one.remaining(KEY).toSeconds()).isGreaterThan(110);
    LockSupport.parkNanos(1_500_000_000);
    server.start();
    try (GateTable back = GateTable.on(server.url())) {
      await("the row knows", () -> back.row(KEY).gate().generation() == 1);
      assertThat(back.row(KEY).gate().shutUntil() - back.now()).isGreaterThan(Duration.ofSeconds(90).toNanos());
      await("the other one shares again", () -> !two.isDegraded());
      two.peek(KEY).block(PATIENCE);
      two.reserve(KEY, Call.ONE.maxWait(Duration.ofSeconds(30)))
          .as(mono -> mono.onErrorComplete(RateLimitedException.class))
          .block(PATIENCE);
      assertThat(two.inCooldown(KEY)).isTrue();
    }
  }

  @Test
  void simultaneousStopsOfOneGenerationAreOneStrike() {
    List<Pacer> all = IntStream.range(0, 4).mapToObj(i -> pacer(100)).toList();
    for (int round = 1; round <= 5; round++) {
      String key = KEY + round;
      List<Sent> sent = new ArrayList<>();
      for (Pacer pacer : all) {
        pacer.reserve(key).block(PATIENCE);
        sent.add(pacer.sending(key));
      }
      Flux.range(0, 80)
          .parallel(4)
          .runOn(Schedulers.boundedElastic())
          .doOnNext(i -> all.get(i % 4).coolDown(sent.get(i % 4), null))
          .sequential()
          .blockLast(PATIENCE);
      await("all know", () -> all.stream().allMatch(pacer -> pacer.gate(key).strikes() == 1));
      assertThat(table.row(key).gate().strikes()).isEqualTo(1);
      assertThat(table.row(key).gate().generation()).isEqualTo(1);
    }
  }

  @Test
  void aPacerThatIsClosedRightAfterAStopStillTellsIt() {
    Pacer one = pacer(10);
    one.reserve(KEY).block(PATIENCE);
    one.coolDown(KEY, Duration.ofSeconds(60));
    one.close();
    one.whenClosed().block(PATIENCE);
    assertThat(table.row(KEY).gate().shutUntil() - table.now()).isGreaterThan(Duration.ofSeconds(50).toNanos());
  }

  @Test
  void aSuccessIsTheFleets() {
    Pacer one = pacer(20);
    Pacer two = pacer(20);
    two.reserve(KEY).block(PATIENCE);
    one.coolDown(KEY, Duration.ofSeconds(1));
    await("both know", () -> two.gate(KEY).strikes() == 1);
    one.reserve(KEY).block(PATIENCE);
    one.succeeded(one.sending(KEY));
    await("both know", () -> two.gate(KEY).strikes() == 0);
    assertThat(table.row(KEY).gate()).matches(gate -> gate.strikes() == 0 && gate.generation() == 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"with a space", " ", "two\nlines", "ключ", "emoji 🙂 key", "'quoted'; --", "512"})
  void aNoticeCarriesAnyKey(String name) {
    String key = name.equals("512") ? "€".repeat(512) : name;
    Pacer one = pacer(0.05);
    Pacer two = pacer(0.05);
    two.reserve(key).block(PATIENCE);
    one.coolDown(key, Duration.ofSeconds(60));
    await("it is heard", () -> two.inCooldown(key));
  }

  @Test
  void whatSomebodyElseSaysOnTheChannelDoesNoHarm() {
    Pacer one = pacer(0.05);
    one.reserve(KEY).block(PATIENCE);
    String channel = new Sql("pacer_cursor").channel;
    for (String text : List.of("", "x", "1 2 3 4", "a b c d e", "1 2 3", "99999999999999999999 1 1 1 " + KEY, "-1 -1 -1 -1 " + KEY)) {
      table.run("SELECT pg_notify('" + channel + "', '" + text + "')");
    }
    Pacer two = pacer(0.05);
    two.coolDown(KEY, Duration.ofSeconds(60));
    await("it still listens", () -> one.inCooldown(KEY));
    assertThat(one.gate(KEY).strikes()).isEqualTo(1);
  }

  @Test
  @DisplayName("20 parallel stops of one process are one statement's worth of work, and the row of a lost table is made again")
  void aLostRowDoesNotLoseTheGate() {
    Pacer one = pacer(20);
    one.reserve(KEY).block(PATIENCE);
    for (int i = 0; i < 3; i++) {
      Sent sent = one.sending(KEY);
      one.coolDown(sent, Duration.ofSeconds(1));
      one.reserve(KEY).block(PATIENCE);
    }
    table.run("TRUNCATE pacer_cursor");
    Sent sent = one.sending(KEY);
    for (int i = 0; i < 20; i++) {
      one.coolDown(sent, null);
    }
    await("the row knows", () -> table.row(KEY) != null);
    LockSupport.parkNanos(200_000_000);
    Cursor.Gate gate = table.row(KEY).gate();
    assertThat(gate.strikes()).isEqualTo(1);
    assertThat(gate.generation()).isEqualTo(sent.generation() + 1);
  }
}
