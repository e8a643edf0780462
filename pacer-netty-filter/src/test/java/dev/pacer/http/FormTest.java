package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FormTest extends InEveryPlace {

  private static final ServerTime TIME = ServerTime.of(List.of(DATE), List.of(), NOW);

  FormTest(Places place) {
    super(place);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SECONDS | 53 | PT53S",
        "SECONDS | 64.57 | PT1M4.57S",
        "MILLIS | 6457 | PT6.457S",
        "MILLIS | 600000 | PT10M",
        "MILLIS | 1500 | PT1.5S",
        "MILLIS | 0.2 | PT0.001S",
        "MINUTES | 12 | PT12M",
        "EPOCH_SECONDS | 1767225690 | PT1M30S",
        "EPOCH_SECONDS | 1767225664.570 | PT1M4.57S",
        "EPOCH_SECONDS | 1767225664.5701 | PT1M4.571S",
        "EPOCH_SECONDS | 99999999999999999999 | P366D",
        "EPOCH_MILLIS | 1767225690000 | PT1M30S",
        "ISO | 2026-01-01T00:01:30Z | PT1M30S",
        "ISO | 2026-01-01T00:01Z | PT1M",
        "ISO | 2026-01-01T02:01:30.25+02:00 | PT1M30.25S",
        "ISO | 2025-12-31T16:01:30-0800 | PT1M30S",
        "HTTP_DATE | Thu, 01 Jan 2026 00:01:30 GMT | PT1M30S",
        "GO_DURATION | 1s | PT1S",
        "GO_DURATION | 6m0s | PT6M",
        "GO_DURATION | 12ms | PT0.012S",
        "GO_DURATION | 9ms | PT0.009S",
        "GO_DURATION | 39s | PT39S",
        "GO_DURATION | 3.5s | PT3.5S",
        "GO_DURATION | 1h30m | PT1H30M",
        "JS_DATE | Thu Jan 01 2026 01:01:30 GMT+0100 (Central European Standard Time) | PT1M30S",
        "JS_DATE | Tue Feb 16 2021 09:02:42 GMT+0100 (Central European Standard Time) | PT0S",
        "GUESS | 0 | PT0S",
        "GUESS | 439 | PT7M19S",
        "GUESS | 1767225690 | PT1M30S",
        "GUESS | 1767225664.570 | PT1M4.57S",
        "GUESS | 1767225690000 | PT1M30S",
        "GUESS | 1767225690000000 | PT1M30S",
        "GUESS | 1767225690000000000 | PT1M30S",
        "GUESS | 99999999 | PT27777H46M39S",
        "GUESS | 2026-01-01T00:01Z | PT1M",
        "GUESS | Thu, 01 Jan 2026 00:01:30 GMT | PT1M30S",
        "GUESS | Thu Jan 01 2026 01:01:30 GMT+0100 (CET) | PT1M30S",
      })
  void aValueOfTheFormIsRead(Form form, String value, String wait) {
    Duration expected = Duration.parse(wait).compareTo(Figure.MAX) > 0 ? Figure.MAX : Duration.parse(wait);
    assertThat(form.read(value, TIME, /* lenient= */ false)).extracting(Figure::waitNeeded).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "SECONDS | -1",
        "SECONDS | 1e3",
        "MILLIS | -5",
        "MILLIS | soon",
        "EPOCH_SECONDS | 439",
        // more than 26 hours ago
        "EPOCH_SECONDS | 1767131999",
        "EPOCH_SECONDS | 1482966442",
        "EPOCH_MILLIS | 1767225690",
        "ISO | 2026-01-01T00:01:30",
        "ISO | 2026-02-30T00:01:30Z",
        "ISO | 2026-13-01T00:01:30Z",
        "ISO | 2026-00-01T00:01:30Z",
        "ISO | +12026-01-01T00:01:30Z",
        "ISO | 2026-01-01",
        "GO_DURATION | ~~",
        "GO_DURATION | 5",
        "GO_DURATION | 1s1m",
        "GO_DURATION | -1s",
        "JS_DATE | Tue Feb 30 2021 09:02:42 GMT+0100 (CET)",
        // the gaps between the magnitudes
        "GUESS | 100000000",
        "GUESS | 999999999",
        "GUESS | 100000000000",
        "GUESS | 100000000000000000",
        "GUESS | 999999999999999999999999",
        "GUESS | 1482966442",
        "GUESS | -1",
        "GUESS | tomorrow",
      })
  void aValueOfAnotherFormIsNot(Form form, String value) {
    assertThat(form.read(value, TIME, /* lenient= */ false)).isNull();
  }

  @Test
  void anEpochOfItsOwnTimeIsReadInIt() {
    ServerTime then = ServerTime.of(List.of(), List.of(), Instant.ofEpochSecond(1_482_966_400));
    assertThat(Form.EPOCH_SECONDS.read("1482966442", then, /* lenient= */ false))
        .extracting(Figure::waitNeeded)
        .isEqualTo(Duration.ofSeconds(42));
  }

  @Test
  void onlyAGuessIsAGuess() {
    assertThat(Form.GUESS.read("439", TIME, /* lenient= */ false).guessed()).isTrue();
    assertThat(Form.SECONDS.read("439", TIME, /* lenient= */ false).guessed()).isFalse();
  }
}
