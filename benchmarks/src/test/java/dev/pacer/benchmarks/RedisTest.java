package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisTest {

  private static final String URL = "redis://:secret@127.0.0.1:6390/2";

  @Test
  void withoutADistanceNothingIsBetween() {
    try (Redis redis = Redis.open(URL, Duration.ZERO)) {
      assertThat(redis.url()).isEqualTo(URL);
      assertThat(redis.roundTrips()).isNaN();
    }
  }

  @Test
  void throughTheProxyOnlyTheAddressIsAnother() {
    try (Redis redis = Redis.open(URL, Duration.ZERO);
        Redis counted = redis.counted()) {
      assertThat(counted.url()).matches("redis://:secret@127\\.0\\.0\\.1:\\d+/2").isNotEqualTo(URL);
      assertThat(counted.roundTrips()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "http://127.0.0.1:6379", "redis:6379"})
  void whatIsNoUrlOfARedisIsRefused(String url) {
    assertThatThrownBy(() -> Redis.open(url, Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("url must be like redis://host:port, was " + url);
  }
}
