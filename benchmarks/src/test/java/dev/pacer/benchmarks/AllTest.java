package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class AllTest {

  private static final Program GOOD = Program.of("AllTest$Good", "good", "good quick");
  private static final Program FAILING = Program.of("AllTest$Failing", "bad", "bad");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** Its results are named as it is told. */
  static final class Good {

    public static void main(String[] arguments) throws IOException {
      String name = arguments[0] + (arguments.length == 4 ? "-" + arguments[1] : "");
      assertThat(arguments[arguments.length - 2]).isEqualTo("--results");
      Sheet sheet = Samples.latency();
      new Sheet(name, name, sheet.conditions(), sheet.columns(), sheet.rows(), sheet.curves())
          .write(Path.of(arguments[arguments.length - 1]));
    }
  }

  /** Ends badly. */
  static final class Failing {

    public static void main(String[] arguments) {
      System.exit(3);
    }
  }

  private int run(List<Program> programs, String... arguments) {
    return new CommandLine(new All(programs))
        .setOut(new PrintWriter(out, /* autoFlush= */ true))
        .setErr(new PrintWriter(err, /* autoFlush= */ true))
        .execute(arguments);
  }

  @Test
  void everyProgramThatEndsWellIsOnThePage(@TempDir Path folder) {
    int code = run(List.of(GOOD, Program.of("AllTest$Good", "better", "better")), "--results", folder.toString());

    assertThat(code).isZero();
    assertThat(err.toString()).isEmpty();
    assertThat(folder.resolve("index.html")).content().contains("id=\"good\"", "id=\"better\"");
  }

  @Test
  void aProgramThatFailsStopsNoOtherAndIsNamed(@TempDir Path folder) {
    int code = run(List.of(FAILING, GOOD), "--results", folder.toString());

    assertThat(code).isEqualTo(1);
    assertThat(err.toString()).isEqualTo("failed: AllTest$Failing bad" + System.lineSeparator());
    assertThat(folder.resolve("index.html")).content().contains("id=\"good\"");
  }

  @Test
  void whereAllFailThereIsNoPage(@TempDir Path folder) {
    int code = run(List.of(FAILING), "--results", folder.toString());

    assertThat(code).isEqualTo(1);
    assertThat(folder.resolve("index.html")).doesNotExist();
  }

  @Test
  void inAQuickRunAProgramIsToldSomethingElse(@TempDir Path folder) {
    run(List.of(GOOD), "--quick", "--results", folder.toString());

    assertThat(folder.resolve("good-quick.json")).exists();
  }

  @Test
  void onlyWhatIsAskedForRuns(@TempDir Path folder) {
    int code = run(List.of(FAILING, GOOD), "--only", ".*Good.*", "--results", folder.toString());

    assertThat(code).isZero();
  }
}
