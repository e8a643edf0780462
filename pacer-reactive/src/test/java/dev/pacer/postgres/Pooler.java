package dev.pacer.postgres;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A PgBouncer in transaction mode, if there is one: {@code -Dpacer.pgbouncer=/path/to/pgbouncer}, or on the PATH. A test
 * that needs it is skipped elsewhere.
 */
final class Pooler implements Closeable {
  private final Database database;
  private final int port;
  private final Path directory;
  private Process process;

  Pooler(Database database) {
    this.database = database;
    this.port = freePort();
    try {
      directory = Files.createTempDirectory("pacer-test-pooler-");
      Files.writeString(
          directory.resolve("pgbouncer.ini"),
          """
          [databases]
          * = host=127.0.0.1 port=%d user=postgres
          [pgbouncer]
          listen_addr = 127.0.0.1
          listen_port = %d
          unix_socket_dir =
          auth_type = any
          pool_mode = transaction
          ignore_startup_parameters = extra_float_digits
          """
              .formatted(database.port(), port));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start();
  }

  /** The way through it, with the setting that it needs. */
  Database database() {
    return new Database(unsuited().url() + "?preparedStatementCacheQueries=0");
  }

  /** The way through it with the driver's own settings. */
  Database unsuited() {
    return database.through(port);
  }

  void start() {
    List<String> command = new ArrayList<>(List.of(program().toString(), directory.resolve("pgbouncer.ini").toString()));
    if ("root".equals(System.getProperty("user.name"))) {
      command.addAll(0, List.of("unshare", "-U")); // it refuses to run as root
    }
    try {
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("log").toFile())
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Database.await("PgBouncer listens", Duration.ofSeconds(10), this::listens);
  }

  private boolean listens() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  void stop() {
    process.destroyForcibly();
    Database.await("PgBouncer is gone", Duration.ofSeconds(10), () -> !process.isAlive());
  }

  @Override
  public void close() throws IOException {
    stop();
    Files.delete(directory.resolve("log"));
    Files.delete(directory.resolve("pgbouncer.ini"));
    Files.delete(directory);
  }

  private static Path program() {
    String path = System.getProperty("pacer.pgbouncer", "");
    List<Path> found =
        Stream.concat(
                Stream.of(path).filter(given -> !given.isEmpty()).map(Path::of),
                Stream.of(System.getenv("PATH").split(File.pathSeparator)).map(each -> Path.of(each, "pgbouncer")))
            .filter(Files::isExecutable)
            .toList();
    assumeTrue(!found.isEmpty(), "there is a pgbouncer on the PATH, or named by -Dpacer.pgbouncer");
    return found.get(0);
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
