package dev.pacer.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.pacer.Pacer;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.Statement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * What one reservation costs one caller who need not wait, beside what the driver costs by itself and beside Bucket4j.
 * Everybody is waited for with {@code block()}, or blocks by nature.
 *
 * <p>{@code java -jar benchmarks/target/benchmarks.jar ReserveLatency -bm sample}
 */
@BenchmarkMode({Mode.SampleTime, Mode.AverageTime})
public class ReserveLatency extends JmhSettings {

  private static final String KEY = "hot";
  private static final String SELECT = "SELECT $1";
  private static final String UPDATE =
      "UPDATE " + Database.COUNTERS + " SET n = n + 1 WHERE key = $1 RETURNING n";

  /** The driver's floor: a round trip that does nothing. */
  @Benchmark
  public @Nullable Long select(Reading driver) {
    return driver.answer(SELECT, 1L).block();
  }

  /** The same where the caller goes on on another thread than the driver's, as a caller must. */
  @Benchmark
  public @Nullable Long selectAndHop(Reading driver) {
    return driver.answer(SELECT, 1L).publishOn(Schedulers.parallel()).block();
  }

  /** The least that a shared cursor could cost: a row is written, and the caller goes on on another thread. */
  @Benchmark
  public @Nullable Long updateAndHop(Writing driver) {
    return driver.answer(UPDATE, KEY).publishOn(Schedulers.parallel()).block();
  }

  @Benchmark
  public @Nullable Duration pacer(Paced paced) {
    return paced.pacer.reserve(KEY).block();
  }

  @Benchmark
  public boolean bucket4j(Bucketed bucketed) {
    return bucketed.buckets.reserve(KEY);
  }

  /** A database, near or far. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the set-up
  public abstract static class Server {

    @Param({"0", "1"})
    public int roundTripMillis;

    private boolean own = true;
    Database database;

    /** Uses one that is there already, and leaves it open. */
    final void share(Database shared) {
      database = shared;
      own = false;
    }

    final void start() throws SQLException {
      if (own) {
        database = Database.open(Duration.ofMillis(roundTripMillis));
      }
    }

    final void stop() {
      if (own) {
        database.close();
      }
    }

    public abstract void open() throws SQLException;

    public abstract void close();
  }

  /** One R2DBC connection. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the set-up
  public static class Reading extends Server {

    private Connection connection;

    @Override
    @Setup
    public void open() throws SQLException {
      start();
      connection = Objects.requireNonNull(Mono.from(database.connections().create()).map(Connection.class::cast).block());
    }

    Mono<Long> answer(String sql, Object argument) {
      Statement statement = connection.createStatement(sql).bind("$1", argument);
      return Mono.from(statement.execute())
          .flatMap(result -> Mono.from(result.map((row, metadata) -> row.get(0, Long.class))));
    }

    @Override
    @TearDown
    public void close() {
      Mono.from(connection.close()).block();
      stop();
    }
  }

  /** One R2DBC connection that writes. */
  @State(Scope.Benchmark)
  public static class Writing extends Reading {

    @Param({"off", "on"})
    public String synchronousCommit = "";

    @Override
    @Setup
    public void open() throws SQLException {
      super.open();
      Statement durability = super.connection.createStatement("SET synchronous_commit = " + synchronousCommit);
      Mono.from(durability.execute()).flatMap(result -> Mono.from(result.getRowsUpdated())).block();
    }
  }

  /** A pacer. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the set-up
  public static class Paced extends Server {

    @Param({"off", "on"})
    public String synchronousCommit = "";

    private Pacer pacer;

    @Override
    @Setup
    public void open() throws SQLException {
      start();
      pacer =
          Pacer.builder()
              .cursor(database.cursor(synchronousCommit.equals("on")).build())
              .defaultPace(Ceiling.pace())
              .build();
    }

    @Override
    @TearDown
    public void close() {
      pacer.close();
      pacer.whenClosed().block();
      stop();
    }
  }

  /** Bucket4j and its pool of connections. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the set-up
  public static class Bucketed extends Server {

    @Param({"off", "on"})
    public String synchronousCommit = "";

    private HikariDataSource pool;
    private Buckets buckets;

    @Override
    @Setup
    public void open() throws SQLException {
      start();
      pool = database.pool(10, synchronousCommit.equals("on"));
      buckets = new Buckets(pool, Buckets.Way.SELECT_FOR_UPDATE, List.of(KEY));
    }

    @Override
    @TearDown
    public void close() {
      pool.close();
      stop();
    }
  }
}
