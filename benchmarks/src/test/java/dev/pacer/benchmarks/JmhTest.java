package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class JmhTest {

  /** That somebody measures on this machine need not stop this, which measures nothing. */
  @BeforeAll
  static void othersMayMeasure() {
    System.setProperty("jmh.ignoreLock", "true");
  }

  @Test
  void jmhsResultsBecomeASheetWithTimeAndBytes(@TempDir Path folder) throws Exception {
    int code = new CommandLine(new Jmh()).execute("LocalLatency", "--quick", "--results", folder.toString());

    assertThat(code).isZero();
    Sheet sheet = Sheet.read(folder.resolve("jmh-local-latency.json"));
    assertThat(sheet.columns()).containsExactly("ns/op", "B/op");
    assertThat(sheet.rows()).extracting(Sheet.Row::name).contains("arithmetic", "reserve");
    assertThat(sheet.figure("reserve", "ns/op").orElseThrow().median()).isPositive();
    assertThat(sheet.figure("reserve", "B/op").orElseThrow().median()).isPositive();
  }

  @Test
  void namesOfJavaAreToBeRead() {
    assertThat(Jmh.words("selectAndHop")).isEqualTo("select and hop");
    assertThat(Jmh.words("bucket4j")).isEqualTo("bucket4j");
  }
}
