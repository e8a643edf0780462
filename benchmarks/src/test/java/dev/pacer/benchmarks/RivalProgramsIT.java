package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs them as users do, from the jar, to see that they work; their figures mean nothing here. */
@Timeout(180)
class RivalProgramsIT {

  private static final Path JAR = Path.of("target", "benchmarks.jar").toAbsolutePath();

  @TempDir
  private Path directory;

  private Sheet sheet(String name, String program, String... options) throws Exception {
    List<String> command = new ArrayList<>(List.of("-cp", JAR.toString(), "dev.pacer.benchmarks." + program));
    command.addAll(Arrays.asList(options));
    command.addAll(List.of("--results", directory.toString()));
    run(command);
    return Sheet.read(directory.resolve(name + ".json"));
  }

  private String run(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(arguments);
    command.add(0, Path.of(System.getProperty("java.home"), "bin", "java").toString());
    Path output = directory.resolve("output.txt");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor()).as(() -> read(output)).isZero();
    } finally {
      process.destroyForcibly();
    }
    return read(output);
  }

  private static String read(Path output) {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Test
  void theOpenLoopHasADistributionForEachContender() throws Exception {
    Sheet sheet =
        sheet("open-loop-loopback", "OpenLoop", "--rounds", "1", "--seconds", "1", "--rate", "200", "--keys", "5");
    assertThat(sheet.rows()).extracting(Sheet.Row::name).containsExactly("pacer", "Bucket4j", "Bucket4j batching");
    assertThat(sheet.curves())
        .extracting(Sheet.Curve::name)
        .containsExactlyElementsOf(sheet.rows().stream().map(Sheet.Row::name).toList());
    assertThat(sheet.curves()).allSatisfy(curve ->
        assertThat(curve.points()).isSortedAccordingTo((a, b) -> Double.compare(a[1], b[1])));
  }

  @Test
  void theOldSnapshotHasACourseForEachContenderWithItAndWithout() throws Exception {
    Sheet sheet = sheet("old-snapshot-loopback", "OldSnapshot", "--seconds", "1", "--callers", "4");
    assertThat(sheet.curves())
        .extracting(Sheet.Curve::name)
        .contains("pacer", "pacer, old snapshot", "Bucket4j batching", "Bucket4j batching, old snapshot");
    assertThat(sheet.curves()).allSatisfy(curve -> assertThat(curve.points()).isNotEmpty());
  }

  @Test
  void theClosedLoopHasARowForEachCaseThatWasAskedFor() throws Exception {
    String output =
        run(
            List.of(
                "-cp", JAR.toString(), "dev.pacer.benchmarks.Throughput", "--rounds", "1", "--seconds", "1", "--only",
                "pacer, hot key, 32 callers"));
    assertThat(output).contains("| pacer, hot key, 32 callers |", "synchronous_commit").doesNotContain("Bucket4j");
  }

  /** Without forks: all classes of one jar in one JVM, each benchmark for an instant. */
  @Test
  void everyBenchmarkWithoutADatabaseRuns() throws Exception {
    String output =
        run(
            List.of(
                "-jar", JAR.toString(), "InProcess|GatePass|FilterOverhead|LocalLatency", "-f", "0", "-foe", "true",
                "-wi", "0", "-i", "1", "-r", "10ms"));
    assertThat(output)
        .contains(
            "InProcess.resilience4j", "InProcess.chainOfBucket4j", "GatePass.coolDown", "FilterOverhead.webClientOfPacer",
            "FilterOverhead.httpClientOfPacer", "LocalLatency.lane");
  }
}
