package dev.pacer.benchmarks.plot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HuesTest {

  @ParameterizedTest
  @ValueSource(strings = {"pacer", "**pacer**", "Pacer, hot key", "pacer in memory", "PacingHttpClient", "paced client"})
  void pacerIsKnownByItsFirstWord(String name) {
    assertThat(new Hues().of(name)).isEqualTo("pacer");
  }

  @Test
  void theCasesOfOneHaveOneColourAndOthersAnother() {
    Hues hues = new Hues();

    assertThat(hues.of("Bucket4j, 1 caller")).isEqualTo(hues.of("Bucket4j, 500 callers"));
    assertThat(hues.of("Redisson, 1 caller, beside pacer")).isNotEqualTo(hues.of("Bucket4j")).isNotEqualTo("pacer");
  }
}
