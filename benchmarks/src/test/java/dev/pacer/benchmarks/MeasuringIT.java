package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The programs run, and say what they found. Their figures are not judged here. */
class MeasuringIT {

  @TempDir private Path results;

  @Test
  void accuracyHoldsDeparturesAgainstSlots() throws IOException {
    run(new Accuracy(), "--seconds", "0.5", "--rate", "100", "--fleet-rate", "100", "--rounds", "1");
    assertThat(rows("accuracy-lateness")).hasSize(3);
    assertThat(rows("accuracy-time-line")).hasSize(1);
    assertThat(rows("accuracy-coordination")).hasSize(2);
    List<double[]> line = sheet("accuracy-time-line").curves().get(0).points();
    assertThat(line.stream().map(point -> point[0])).hasSizeGreaterThan(3).isSorted();
    assertThat(line.stream().map(point -> (int) point[1]).distinct()).isSubsetOf(1, 2, 3).hasSizeGreaterThan(1);
  }

  @Test
  void scaleNeedsNoDatabase() throws IOException {
    run(new Scale(), "--processes", "3", "--rate", "10,1000", "--callers", "50");
    assertThat(rows("scale-statements")).hasSize(1);
    assertThat(rows("scale-sharing")).hasSize(4);
    assertThat(rows("scale-stopping")).hasSize(3);
  }

  @Test
  void statementsAreCountedOnTheConnection() throws IOException {
    run(new Statements(), "--seconds", "0.5", "--callers", "100,1000");
    assertThat(rows("statements-loopback"))
        .hasSize(2)
        .allSatisfy(row -> assertThat(figure(row, "dispatches per statement")).isGreaterThan(1));
  }

  @Test
  void idleKeysAreWeighed() throws IOException {
    run(new IdleKeys(), "--keys", "2000", "--interval", "0.2");
    assertThat(rows("idle-keys")).hasSize(2).allSatisfy(row -> assertThat(figure(row, "keys used per second")).isPositive());
  }

  private void run(Callable<Integer> program, String... options) {
    String[] all = Stream.concat(Stream.of(options), Stream.of("--results", results.toString())).toArray(String[]::new);
    assertThat(new CommandLine(program).execute(all)).isZero();
  }

  private List<Sheet.Row> rows(String name) throws IOException {
    return sheet(name).rows();
  }

  private Sheet sheet(String name) throws IOException {
    return Sheet.read(results.resolve(name + ".json"));
  }

  private static double figure(Sheet.Row row, String column) {
    return row.figures().get(column).median();
  }
}
