package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.pacer.Call;
import dev.pacer.CursorException;
import dev.pacer.Fallback;
import dev.pacer.Logged;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.PacerClosedException;
import dev.pacer.RateLimitedException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;

/** What a user sees of an outage, with the settings that a user has. Quick ones; the rest is {@link LongOutageIT}'s. */
class OutageIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @RegisterExtension
  final Cursors cursors = new Cursors();

  private final EmbeddedServer server = new EmbeddedServer();
  private final Database database = FaultScene.postgres(server);
  private final Logged logged = new Logged();

  @AfterEach
  void discard() {
    logged.close();
    server.discard();
  }

  @Test
  @DisplayName("C092: closed in the middle of an outage, all who wait get one clear error, and all is over soon")
  void closedInAnOutage() {
    try (TestProxy proxy = new TestProxy(database)) {
      Pacer pacer = pacer(database.through(proxy.port()), builder -> builder.defaultPace(Pace.perSecond(1)));
      pacer.reserve("key").block(PATIENCE);
      Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
      for (int i = 0; i < 100; i++) {
        pacer.reserve("key").subscribe(waited -> {}, errors::add);
      }
      proxy.blackHole();
      long start = System.nanoTime();
      pacer.close();
      pacer.close();
      Database.await("all have their answer", Duration.ofSeconds(3), () -> errors.size() >= 99);
      assertThat(errors).allMatch(error -> error instanceof PacerClosedException);
      pacer.whenClosed().block(PATIENCE);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
      assertThatThrownBy(() -> pacer.reserve("key").block(PATIENCE)).isInstanceOf(PacerClosedException.class);
      proxy.forward(); // it cannot see before that a connection was closed
      Database.await("no connection", PATIENCE, () -> proxy.openClients() == 0);
      assertThat(logged.dropped()).isEmpty();
    }
  }

  @Test
  @DisplayName("C102: however many calls are refused or hear a 429, and however the database is, there are few lines")
  void noFloodOfLines() {
    Pacer pacer = pacer(database, builder -> builder.defaultPace(Pace.perSecond(500)).pace("slow", Pace.perSecond(1)));
    pacer.reserve("slow").block(PATIENCE);
    Database.await("it shares the cursor", PATIENCE, () -> !pacer.isDegraded());
    logged.forget();
    server.stop();
    Flux.range(0, 1_000).flatMap(i -> pacer.reserve("key" + i % 2), 1_000).blockLast(PATIENCE);
    long refused =
        Flux.range(0, 10_000)
            .flatMap(i -> pacer.reserve("slow", Call.ONE.maxWait(Duration.ofMillis(1))).materialize())
            .filter(signal -> signal.getThrowable() instanceof RateLimitedException)
            .count()
            .block(PATIENCE);
    for (int i = 0; i < 1_000; i++) {
      pacer.coolDown("key0", Duration.ofSeconds(2));
    }
    server.start();
    Database.await("shared again, and said so", PATIENCE, () -> logged.of(Level.INFO).size() >= 2);
    assertThat(pacer.isDegraded()).isFalse();
    assertThat(refused).isGreaterThan(9_900);
    assertThat(logged.of(Level.WARN)).as("degraded").hasSize(1);
    assertThat(logged.of(Level.INFO)).as("one for the cooldown, one for the recovery").hasSize(2);
    assertThat(logged.of(Level.ERROR)).isEmpty();
    assertThat(logged.dropped()).isEmpty();
  }

  @Test
  @DisplayName("C076: behind PgBouncer in transaction mode, 1 000 calls over 10 connections fail not once, as documented")
  void behindAPooler() throws Exception {
    try (Pooler pooler = new Pooler(database)) {
      List<Pacer> pacers =
          IntStream.range(0, 10)
              .mapToObj(i -> pooled(pooler.database()))
              .toList();
      Flux.fromIterable(pacers)
          .flatMap(pacer -> Flux.range(0, 100).flatMap(i -> pacer.reserve("key"), 10), 10)
          .blockLast(PATIENCE);
      assertThat(logged.of(Level.WARN)).isEmpty();
      assertThat(pacers).noneMatch(Pacer::isDegraded);
    }
  }

  @Test
  @DisplayName("C076: without the documented setting the error says what to set, and is no silent degrade")
  void behindAPoolerWithoutTheSetting() throws Exception {
    try (Pooler pooler = new Pooler(database)) {
      Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
      List<Pacer> pacers =
          IntStream.range(0, 10)
              .mapToObj(i -> pooled(pooler.unsuited()))
              .toList();
      Flux.fromIterable(pacers)
          .flatMap(
              pacer -> Flux.range(0, 100).flatMap(i -> pacer.reserve("key").onErrorComplete(errors::add), 10), 10)
          .blockLast(PATIENCE);
      assertThat(errors).isNotEmpty().allMatch(error -> error instanceof CursorException);
      assertThat(errors).anyMatch(error -> error.getMessage().contains("preparedStatementCacheQueries=0"));
      assertThat(pacers).noneMatch(Pacer::isDegraded);
    }
  }

  private Pacer pacer(Database way, UnaryOperator<Pacer.Builder> settings) {
    PostgresCursor cursor = cursors.with(builder -> builder.url(way.url()));
    return cursors.pacer(cursor, builder -> settings.apply(builder.fallback(Fallback.DEFAULT)));
  }

  /** With time limits that a busy machine keeps. */
  private Pacer pooled(Database way) {
    PostgresCursor cursor = cursors.with(builder -> builder.url(way.url()).notifications(false).timeLimit(Duration.ofSeconds(10)));
    return cursors.pacer(cursor, builder -> builder.defaultPace(Pace.perSecond(500)));
  }
}
