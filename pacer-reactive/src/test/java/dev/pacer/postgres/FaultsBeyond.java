package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Faults that need more than a server: a standby, a pooler, a disk that can be full. */
final class FaultsBeyond {
  private FaultsBeyond() {}

  static Stream<Fault> all() {
    return Stream.of(failover(), pooler(), diskFull());
  }

  /** The standby stops following for a while before its primary is killed, and is then promoted. */
  private static Fault failover() {
    Standby[] standby = new Standby[1];
    return Fault.slow(
            "failover to a replica that lost the last transactions",
            scene -> {
              standby[0].falls(scene);
              scene.server.kill();
            },
            scene -> {
              scene.database = standby[0].database();
              scene.database.run("SELECT pg_promote()");
            })
        .prepared(scene -> standby[0] = Standby.of(scene))
        .jumping(1);
  }

  private record Standby(EmbeddedServer server) {
    static Standby of(FaultScene scene) throws IOException {
      EmbeddedServer primary = new EmbeddedServer();
      scene.with(primary::discard);
      primary.stop();
      Path copy = EmbeddedServer.newDirectory();
      copy(primary.data(), copy);
      primary.start();
      Files.createFile(copy.resolve("standby.signal"));
      Files.writeString(
          copy.resolve("postgresql.auto.conf"), "primary_conninfo = 'host=localhost user=postgres port=" + primary.port() + "'\n");
      EmbeddedServer standby = new EmbeddedServer(copy, Map.of());
      scene.with(standby::discard);
      scene.uses(primary);
      scene.directUrl = "r2dbc:postgresql:failover://postgres:postgres@localhost:" + primary.port() + ",localhost:" + standby.port()
          + "/postgres?targetServerType=primary";
      return new Standby(standby);
    }

    private static void copy(Path from, Path to) throws IOException {
      try (Stream<Path> files = Files.walk(from)) {
        for (Path file : files.filter(each -> !each.equals(from) && !each.endsWith("epg-lock")).toList()) {
          Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }

    Database database() {
      return FaultScene.postgres(server);
    }

    /** Behind, so that something is lost when it takes over. */
    void falls(FaultScene scene) {
      database().run("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()");
      Database.await("it is behind", Duration.ofSeconds(10), () -> behind(scene) >= 5);
    }

    private long behind(FaultScene scene) {
      return scene.database.row("steady").seq() - database().row("steady").seq();
    }
  }

  private static Fault pooler() {
    Pooler[] pooler = new Pooler[1];
    return Fault.slow("PgBouncer in transaction mode restarted", scene -> pooler[0].stop(), scene -> pooler[0].start())
        .prepared(
            scene -> {
              pooler[0] = scene.with(new Pooler(scene.database));
              scene.reach = pooler[0].database();
              scene.settings = builder -> builder.notifications(false);
              scene.countsSessions = false;
            });
  }

  /** A disk of its own, in memory, that is filled while the server needs another piece of its log. */
  private static Fault diskFull() {
    Path[] disk = new Path[1];
    return Fault.slow(
            "disk of the server full",
            scene -> {
              fill(disk[0]);
              while (answers(scene.database)) {
                scene.pass(Duration.ofMillis(20));
              }
            },
            scene -> {
              Files.delete(disk[0].resolve("filler"));
              scene.server.start();
            })
        .prepared(
            scene -> {
              disk[0] = mount(scene);
              EmbeddedServer server = new EmbeddedServer(disk[0].resolve("data"), Map.of());
              scene.with(server::discard);
              scene.uses(server);
            })
        .jumping(1);
  }

  private static Path mount(FaultScene scene) throws IOException {
    Path disk = Files.createTempDirectory("pacer-test-disk-");
    boolean mounted = Signals.run(List.of("mount", "-t", "tmpfs", "-o", "size=120m", "none", disk.toString())) == 0;
    if (!mounted) {
      Files.delete(disk);
    }
    assumeTrue(mounted, "a file system in memory can be mounted, which takes root");
    scene.with(
        () -> {
          Signals.run(List.of("umount", "-l", disk.toString()));
          Files.delete(disk);
        });
    return disk;
  }

  private static void fill(Path disk) throws IOException {
    FileStore store = Files.getFileStore(disk);
    byte[] block = new byte[64 * 1024];
    Arrays.fill(block, (byte) 1);
    try (var out = Files.newOutputStream(disk.resolve("filler"))) {
      while (store.getUsableSpace() > 0) {
        out.write(block);
      }
    } catch (IOException full) {
      assertThat(store.getUsableSpace()).isLessThan(block.length);
    }
  }

  private static boolean answers(Database database) {
    try {
      database.run("SELECT pg_switch_wal()");
      return true;
    } catch (RuntimeException refused) {
      return false;
    }
  }
}
