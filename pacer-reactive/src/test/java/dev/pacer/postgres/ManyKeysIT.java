package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import reactor.core.publisher.Flux;

/** A process with little memory, and what it does. */
@EnabledIfSystemProperty(named = "pacer.faults", matches = "all")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ManyKeysIT {
  private static final int HALF = 500_000;
  private static final long MEGABYTE = 1 << 20;

  @Test
  @DisplayName("C098: a million keys in 256 MB, half of them in an outage, and 1 % with a gate, leave less than 100 MB")
  void aMillionKeysInLittleMemory() throws IOException, InterruptedException {
    EmbeddedServer server = new EmbeddedServer();
    String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m", "-XX:+ExitOnOutOfMemoryError",
                "-cp", classPath, ManyKeysIT.class.getName(), FaultScene.postgres(server).url())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      assertThat(last(lines, "half")).isEqualTo("half");
      server.stop();
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
      String[] heap = last(lines, "heap").split(" ");
      assertThat(Long.parseLong(heap[1])).isLessThan(100 * MEGABYTE);
    } finally {
      process.destroyForcibly().waitFor();
      server.discard();
    }
  }

  private static String last(BufferedReader lines, String word) throws IOException {
    String line = lines.readLine();
    while (line != null && !line.startsWith(word)) {
      line = lines.readLine(); // what it has logged
    }
    return String.valueOf(line);
  }

  public static void main(String[] args) throws IOException {
    Pacer pacer =
        Pacer.builder()
            .cursor(PostgresCursor.builder().url(args[0]).timeLimit(Duration.ofSeconds(5)).build())
            .defaultPace(Pace.perSecond(10))
            .build();
    use(pacer, 0);
    System.out.println("half");
    new InputStreamReader(System.in, StandardCharsets.UTF_8).read();
    use(pacer, HALF);
    long end = System.nanoTime() + Duration.ofMinutes(3).toNanos();
    Database.await("the heap is small", Duration.ofMinutes(4), () -> heap() < 100 * MEGABYTE || System.nanoTime() - end > 0);
    System.out.println("heap " + heap());
  }

  private static void use(Pacer pacer, int from) {
    Flux.range(from, HALF)
        .flatMap(
            i -> pacer.reserve("key" + i).doOnNext(waited -> {
              if (i % 100 == 0) {
                pacer.coolDown("key" + i, Duration.ofSeconds(1));
              }
            }),
            512)
        .blockLast();
  }

  private static long heap() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
