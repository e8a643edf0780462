package dev.pacer.benchmarks;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pacer.postgres.PostgresCursor;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryOptions;
import io.r2dbc.spi.Option;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The PostgreSQL that everybody is measured against, with the tables of this run in it.
 *
 * <p>The system property {@code pacer.benchmark.database} names one that runs already, as an {@code
 * r2dbc:postgresql://user:password@host:port/database} URL; its tables {@code pacer_benchmark_*} are replaced. Without
 * it, one is unpacked into a temporary directory and ends with this object. PostgreSQL refuses to run as root; where
 * this process does, on Linux, the embedded one runs in a user namespace of its own, which the kernel must allow.
 */
final class Database implements AutoCloseable {

  /** The same table options for everybody. */
  private static final String OPTIONS =
      " WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)";

  static final String CURSORS = "pacer_benchmark_cursor";
  static final String BUCKETS = "pacer_benchmark_bucket";
  static final String ADVISED = "pacer_benchmark_advised";
  static final String COUNTERS = "pacer_benchmark_counter";

  private static final String VERSION =
      "SELECT 'PostgreSQL ' || current_setting('server_version') || ', fsync ' || current_setting('fsync')";

  static final String PROPERTY = "pacer.benchmark.database";
  private static final Duration STARTUP_PATIENCE = Duration.ofMinutes(1);

  private final @Nullable EmbeddedPostgres embedded;
  private final @Nullable Distance distance;
  private final ConnectionFactoryOptions near;
  private final ConnectionFactoryOptions options;

  private Database(@Nullable EmbeddedPostgres embedded, ConnectionFactoryOptions near, @Nullable Duration roundTrip) {
    this.embedded = embedded;
    this.near = near;
    if (roundTrip == null) {
      this.distance = null;
      this.options = near;
    } else {
      this.distance =
          new Distance(new InetSocketAddress(option(near, ConnectionFactoryOptions.HOST), port(near)), roundTrip);
      this.options =
          near.mutate()
              .option(ConnectionFactoryOptions.HOST, "127.0.0.1")
              .option(ConnectionFactoryOptions.PORT, distance.port())
              .build();
    }
  }

  /**
   * @param roundTrip what is added to every round trip; with none, nothing is between this and the server
   */
  static Database open(Duration roundTrip) throws SQLException {
    quieten();
    String given = System.getProperty(PROPERTY, "");
    EmbeddedPostgres embedded = given.isEmpty() ? embedded() : null;
    String url =
        embedded == null ? given : "r2dbc:postgresql://postgres@127.0.0.1:" + embedded.getPort() + "/postgres";
    ConnectionFactoryOptions near =
        ConnectionFactoryOptions.parse(url)
            .mutate()
            .option(Option.valueOf("autodetectExtensions"), false) // as pacer does it
            .build();
    Database database = new Database(embedded, near, roundTrip.isZero() ? null : roundTrip);
    database.createTables();
    return database;
  }

  /** The same one through a proxy that adds nothing and counts round trips. Closing it closes the proxy alone. */
  Database counted() {
    return new Database(/* embedded= */ null, near, Duration.ZERO);
  }

  /** Answered so far, by whoever asked; not a number where nothing is there to count them. */
  double roundTrips() {
    return distance == null ? Double.NaN : distance.roundTrips();
  }

  private static EmbeddedPostgres embedded() {
    try {
      return EmbeddedPostgres.builder()
          .setLocaleConfig("locale", "C")
          .setServerConfig("fsync", "on") // which is off by default here, and would make durability free
          .setPGStartupWait(STARTUP_PATIENCE)
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException("the embedded PostgreSQL does not start", e);
    }
  }

  /** A driver that logs each statement is not what anybody runs. */
  static void quieten() {
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.WARN);
  }

  /** As they were at the beginning: empty. Nobody may be using them. */
  void createTables() throws SQLException {
    try (HikariDataSource pool = pool(1, /* durable= */ false);
        Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE IF EXISTS " + String.join(", ", CURSORS, BUCKETS, ADVISED, COUNTERS));
      statement.execute("CREATE TABLE " + BUCKETS + " (id VARCHAR PRIMARY KEY, state BYTEA)" + OPTIONS);
      statement.execute("CREATE TABLE " + ADVISED + " (id BIGINT PRIMARY KEY, state BYTEA)" + OPTIONS);
      statement.execute("CREATE TABLE " + COUNTERS + " (key text PRIMARY KEY, n bigint NOT NULL)" + OPTIONS);
      statement.execute("INSERT INTO " + COUNTERS + " VALUES ('hot', 0)");
    }
  }

  /** Unpooled, as pacer has them. */
  ConnectionFactory connections() {
    return ConnectionFactories.get(options);
  }

  /** For other processes. */
  String url() {
    Object password = options.getValue(ConnectionFactoryOptions.PASSWORD);
    return String.format(
        "r2dbc:postgresql://%s%s@%s:%d/%s",
        option(options, ConnectionFactoryOptions.USER),
        password == null ? "" : ":" + password,
        option(options, ConnectionFactoryOptions.HOST),
        port(options),
        option(options, ConnectionFactoryOptions.DATABASE));
  }

  /** The settings that a pacer of this database has; pacer creates its table itself. */
  PostgresCursor.Builder cursor(boolean durable) {
    return PostgresCursor.builder().connectionFactory(connections()).table(CURSORS).synchronousCommit(durable);
  }

  /** For whoever watches: past the proxy, and in nobody's pool. */
  Connection aside() throws SQLException {
    Properties login = new Properties();
    login.setProperty("user", option(near, ConnectionFactoryOptions.USER));
    if (near.hasOption(ConnectionFactoryOptions.PASSWORD)) {
      login.setProperty("password", option(near, ConnectionFactoryOptions.PASSWORD));
    }
    return DriverManager.getConnection(jdbc(near), login);
  }

  private static String jdbc(ConnectionFactoryOptions options) {
    String address = option(options, ConnectionFactoryOptions.HOST) + ":" + port(options);
    return "jdbc:postgresql://" + address + "/" + option(options, ConnectionFactoryOptions.DATABASE);
  }

  /** JDBC, for those who need it. */
  CountingPool pool(int size, boolean durable) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(jdbc(options) + "?options=-c%20synchronous_commit=" + (durable ? "on" : "off"));
    config.setUsername(option(options, ConnectionFactoryOptions.USER));
    if (options.hasOption(ConnectionFactoryOptions.PASSWORD)) {
      config.setPassword(option(options, ConnectionFactoryOptions.PASSWORD));
    }
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(size);
    config.setConnectionTimeout(Duration.ofMinutes(1).toMillis());
    return new CountingPool(config);
  }

  private static String option(ConnectionFactoryOptions options, Option<? extends CharSequence> option) {
    return Objects.requireNonNull(options.getValue(option), () -> "the database URL must have " + option).toString();
  }

  private static int port(ConnectionFactoryOptions options) {
    Object port = options.getValue(ConnectionFactoryOptions.PORT);
    return port == null ? 5432 : Integer.parseInt(port.toString());
  }

  /** What the server is, and whether it keeps what it promises. */
  String version() throws SQLException {
    try (HikariDataSource pool = pool(1, /* durable= */ false);
        Connection connection = pool.getConnection();
        Statement statement = connection.createStatement();
        ResultSet answer = statement.executeQuery(VERSION)) {
      answer.next();
      return answer.getString(1);
    }
  }

  @Override
  public void close() {
    if (distance != null) {
      distance.close();
    }
    if (embedded != null) {
      try {
        embedded.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
