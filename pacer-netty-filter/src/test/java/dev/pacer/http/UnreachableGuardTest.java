package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.scheduler.VirtualTimeScheduler;

class UnreachableGuardTest {

  private static final Duration AT_ONCE = Duration.ZERO;

  private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  private final UnreachableGuard guard = UnreachableGuard.create().clock(time);

  /** Named like Reactor Netty's, which nobody else can make. */
  private static final class PrematureCloseException extends IOException {}

  private void fail() {
    guard.failed("a", AT_ONCE, new ConnectException("refused"));
  }

  private Duration left(String destination) {
    return guard
        .check(destination)
        .thenReturn(Duration.ZERO)
        .onErrorResume(UnreachableException.class, e -> Mono.just(e.remaining()))
        .block();
  }

  @Test
  void eachFurtherFailedRoundIsTwiceAsLongUpToFiveMinutes() {
    for (int seconds : new int[] {30, 60, 120, 240, 300, 300}) {
      fail();
      assertThat(left("a")).isEqualTo(Duration.ofSeconds(seconds));
      time.advanceTimeBy(Duration.ofSeconds(seconds));
      assertThat(left("a")).isZero();
    }
    assertThat(left("b")).isZero();
  }

  @Test
  void failuresOfRequestsThatWereUnderWayAreNoFurtherRound() {
    fail();
    for (int i = 0; i < 20; i++) {
      fail();
    }
    time.advanceTimeBy(Duration.ofSeconds(31));
    guard.failed("a", Duration.ofSeconds(40), new ConnectException("timed out")); // sent before the outage
    assertThat(left("a")).isZero();
    fail();
    assertThat(left("a")).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void anAnswerEndsIt() {
    fail();
    time.advanceTimeBy(Duration.ofSeconds(30));
    guard.answered("a");
    fail();
    assertThat(left("a")).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void onlyErrorsOfTransportCount() {
    assertThat(UnreachableGuard.isUnreachable(new UnknownHostException("x"))).isTrue();
    assertThat(UnreachableGuard.isUnreachable(new RuntimeException(new IOException("reset")))).isTrue();
    assertThat(UnreachableGuard.isUnreachable(io.netty.handler.timeout.ReadTimeoutException.INSTANCE)).isTrue();
    assertThat(UnreachableGuard.isUnreachable(new io.netty.channel.ConnectTimeoutException("x"))).isTrue();
    assertThat(UnreachableGuard.isUnreachable(new PrematureCloseException())).isFalse();
    assertThat(UnreachableGuard.isUnreachable(new IllegalStateException("bug"))).isFalse();
    guard.failed("a", AT_ONCE, new IllegalArgumentException("bug"));
    assertThat(left("a")).isZero();
  }

  @Test
  void theErrorCarriesWhatHappenedAndCostsNoStackTrace() {
    fail();
    StepVerifier.create(guard.check("a"))
        .expectErrorSatisfies(
            error -> {
              assertThat(error).isInstanceOf(UnreachableException.class).hasRootCauseInstanceOf(ConnectException.class);
              assertThat(error.getStackTrace()).isEmpty();
            })
        .verify();
  }

  @Test
  void anOutageIsOneLineOfInfo() {
    Logger logger = (Logger) LoggerFactory.getLogger(UnreachableGuard.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Level before = logger.getLevel();
    logger.setLevel(Level.INFO);
    logger.addAppender(log);
    try {
      for (int round = 0; round < 5; round++) {
        fail();
        fail();
        left("a");
        time.advanceTimeBy(Duration.ofSeconds(300));
      }
      assertThat(log.list).hasSize(1);
      assertThat(log.list.get(0).getLevel()).isEqualTo(Level.INFO);
    } finally {
      logger.detachAppender(log);
      logger.setLevel(before);
    }
  }

  @Test
  void thatAnotherDestinationIsLeftAloneSaysNothingOfThisOne() {
    guard.failed("tokens", AT_ONCE, new ConnectException("refused"));
    guard.check("tokens").onErrorResume(e -> Mono.fromRunnable(() -> guard.failed("api", AT_ONCE, e))).block();
    assertThat(left("api")).isZero();
  }

  @Test
  void manyUnreachableDestinationsCostTimeInProportion() {
    Logger logger = (Logger) LoggerFactory.getLogger(UnreachableGuard.class);
    Level before = logger.getLevel();
    logger.setLevel(Level.OFF);
    try {
      ConnectException refused = new ConnectException("refused");
      assertTimeout(
          Duration.ofSeconds(20), // a second, where it is not as long again for each that is remembered
          () -> IntStream.range(0, 100_000).forEach(i -> guard.failed("host" + i, AT_ONCE, refused)));
    } finally {
      logger.setLevel(before);
    }
  }
}
