package dev.pacer.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Runs every measuring program, one after another, keeps what they found as JSON and makes a page of it.
 *
 * <p>{@code java -cp benchmarks/target/benchmarks.jar dev.pacer.benchmarks.All --results benchmarks/results}
 */
@Command(
    name = "All",
    mixinStandardHelpOptions = true,
    description = "Runs everything. The exit code is 0 only if every program ended well.")
public final class All implements Callable<Integer> {

  /** To see that a closed loop works at all; a dot stands for a space. */
  private static final String FEW = " --seconds 1 --rounds 1 --only pacer,.hot.key,.500.callers";

  /** Each with what it is told when it counts, and what when it is only to be seen that it works. */
  private static final List<Program> PROGRAMS =
      List.of(
          Program.of("Jmh", "LocalLatency", "LocalLatency --quick"),
          Program.of(
              "Jmh",
              "ReserveLatency --mode SampleTime --param roundTripMillis=0 --param synchronousCommit=off",
              "ReserveLatency --mode SampleTime --quick --param roundTripMillis=0 --param synchronousCommit=off"),
          Program.of("SideBySide", "--seconds 28", "--seconds 3"),
          Program.of("SideBySide", "--seconds 28 --durable", "--seconds 1 --durable"),
          Program.of("SideBySide", "--seconds 28 --round-trip 1", "--seconds 1 --round-trip 1"),
          Program.of("Throughput", "--seconds 2", FEW.strip() + "|.*hot.key.*500.threads"),
          Program.of("Throughput", "--seconds 2 --rounds 3 --durable", "--durable" + FEW),
          Program.of("Throughput", "--seconds 2 --rounds 3 --round-trip 1", "--round-trip 1" + FEW),
          Program.of("Throughput", "--seconds 2 --rounds 3 --round-trip 5", "--round-trip 5" + FEW),
          Program.of("OpenLoop", "--seconds 6", "--seconds 2 --rounds 1"),
          Program.of("OpenLoop", "--seconds 6 --rounds 3 --round-trip 1", "--seconds 2 --rounds 1 --round-trip 1"),
          Program.of("OldSnapshot", "--seconds 40", "--seconds 2"),
          Program.of("Accuracy", "-Xmx3g --seconds 30", "--seconds 1 --rounds 1"),
          Program.of("Statements", "-Xmx3g --seconds 5", "--seconds 1 --callers 500"),
          Program.of("Timers", "-Xmx4g --rounds 3", "--rounds 1 --calls 10000 --rate 1000 --seconds 1"),
          Program.of("IdleKeys", "-Xmx3g --keys 100000", "--keys 2000 --interval 1"),
          Program.of("Scale", "-Xmx3g --seed 1", "--processes 10 --rate 1000"),
          Program.of("Jmh", "InProcess", "InProcess --quick"),
          Program.of("Jmh", "GatePass", "GatePass --quick"),
          Program.of("Jmh", "FilterOverhead", "FilterOverhead --quick"));

  @Option(
      names = "--results",
      paramLabel = "FOLDER",
      defaultValue = "benchmarks/results",
      description = "Where the results and the page go. ${DEFAULT-VALUE}")
  private Path results = Path.of("");

  @Option(names = "--quick", description = "In a few minutes, to see that it all works. The figures mean nothing.")
  private boolean quick;

  @Option(names = "--only", defaultValue = ".*", description = "Programs to be run, as a regular expression.")
  private String only = "";

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  private final List<Program> programs;

  All(List<Program> programs) {
    this.programs = programs;
  }

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new All(PROGRAMS)).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Program> chosen =
        programs.stream()
            .filter(one -> one.toString().matches(only))
            .map(one -> quick ? one.quickly() : one)
            .toList();
    List<Program> failed = new ArrayList<>();
    for (Program program : chosen) {
      say("%n%d of %d: %s", chosen.indexOf(program) + 1, chosen.size(), program);
      long start = System.nanoTime();
      if (!program.run(results)) {
        failed.add(program);
      }
      say("%n%s took %d s", program, Duration.ofNanos(System.nanoTime() - start).toSeconds());
    }
    if (failed.size() < chosen.size()) {
      say("%nThe page: %s", Report.write(results));
    }
    failed.forEach(program -> spec.commandLine().getErr().println("failed: " + program));
    return failed.isEmpty() ? 0 : 1;
  }

  private void say(String format, Object... arguments) {
    spec.commandLine().getOut().println(String.format(Locale.ROOT, format, arguments));
  }
}
