package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pacer.Backoff;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import io.netty.channel.ChannelOption;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.Http2AllocationStrategy;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServerResponse;

/** What becomes of connections: while requests wait, when vendors refuse, and when they hang up. */
@ExtendWith(NoLeaks.class)
class ConnectionsIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final Recorder recorder = new Recorder();
  private final Pacer pacer =
      Pacer.builder()
          .defaultPace(Pace.perSecond(1_000))
          .backoff(Backoff.DEFAULT.least(Duration.ZERO).jitter(Duration.ZERO).widening(0, 1, false))
          .listener(recorder)
          .build();
  private final HttpPacing engine = HttpPacing.builder(pacer).build();
  private final WatchedPool pool =
      new WatchedPool("two", p -> p.maxConnections(2).pendingAcquireTimeout(Duration.ofSeconds(5)));

  @AfterEach
  void close() {
    pacer.close();
    pool.provider.disposeLater().block(SOON);
  }

  /** What came. Not by {@code aggregate()}, which loses a buffer when it is cancelled while it puts them together. */
  private Mono<String> send(String client, HttpMethod method, String url, HttpPacing engine) {
    HttpClient plain = HttpClient.create(pool.provider);
    return client.equals("netty")
        ? PacingHttpClient.decorate(plain, engine)
            .request(io.netty.handler.codec.http.HttpMethod.valueOf(method.name()))
            .uri(url)
            .response((response, body) -> body.asString().collect(Collectors.joining()).map(text -> response.status().code() + text))
            .single()
        : web(plain, engine)
            .method(method)
            .uri(url)
            .exchangeToMono(r -> r.bodyToMono(String.class).defaultIfEmpty("").map(text -> r.statusCode().value() + text));
  }

  private static WebClient web(HttpClient plain, HttpPacing engine) {
    return WebClient.builder()
        .clientConnector(new ReactorClientHttpConnector(plain))
        .filter(PacingExchangeFilter.of(engine))
        .build();
  }

  private static Mono<Void> hangUp(HttpServerResponse response) {
    response.withConnection(
        connection -> {
          connection.channel().config().setOption(ChannelOption.SO_LINGER, 0); // so that it is a reset
          connection.channel().close();
        });
    return Mono.never();
  }

  @ParameterizedTest
  @ValueSource(strings = {"netty", "web"})
  void aConnectionThatIsResetIsNoRefusalAndEachRetryOfTheCallerTakesASlot(String client) {
    try (Vendor vendor = Vendor.of((n, arrival, response) -> n <= 2 ? hangUp(response) : response.sendString(Mono.just("served")))) {
      assertThat(send(client, HttpMethod.GET, vendor.url(), engine).retry(2).block(SOON)).isEqualTo("200served");
      assertThat(vendor.arrivals).hasSize(3);
      assertThat(recorder.slots(vendor.key())).isEqualTo(3);
      assertThat(recorder.cooldowns(vendor.key())).isZero();
      pool.awaitIdle();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"netty", "web"})
  void aRequestWhoseConnectionIsResetIsNotSentAgainByTheEngine(String client) {
    try (Vendor vendor = Vendor.of((n, arrival, response) -> hangUp(response))) {
      assertThatThrownBy(() -> send(client, HttpMethod.POST, vendor.url(), engine).block(SOON))
          .isNotInstanceOf(RequestNotReplayableException.class);
      assertThat(vendor.arrivals).hasSize(1);
      pool.awaitIdle();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"netty", "web"})
  void aResetInTheSecondSendingIsTheCallersErrorAndLosesNoConnection(String client) {
    try (Vendor vendor = Vendor.of((n, arrival, response) -> n == 1 ? Vendor.refuse(response, "0.01") : hangUp(response))) {
      assertThatThrownBy(() -> send(client, HttpMethod.GET, vendor.url(), engine).block(SOON)).isNotNull();
      assertThat(vendor.arrivals).hasSize(2);
      pool.awaitIdle();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"netty", "web"})
  @DisplayName("C039: a hundred refusals of 64 KiB, half of them cancelled in the middle, lose no connection of two")
  void manyRefusalsLoseNoConnection(String client) {
    String page = "x".repeat(1_024);
    boolean[] serves = new boolean[1];
    try (Vendor vendor =
        Vendor.of((n, arrival, response) -> serves[0]
            ? response.sendString(Mono.just("served"))
            : response.status(429).header("Retry-After", "0.001").sendString(Flux.just(page).repeat(63)))) {
      HttpPacing two = HttpPacing.builder(pacer).attempts(2).build();
      Flux.range(0, 50)
          .flatMap(n -> {
            Mono<String> request = send(client, HttpMethod.GET, vendor.url(), two);
            return n % 2 == 0 ? request : request.timeout(Duration.ofMillis(n)).onErrorComplete();
          }, 2)
          .blockLast(SOON);
      serves[0] = true;
      assertThat(send(client, HttpMethod.GET, vendor.url(), two).block(SOON)).isEqualTo("200served");
      pool.awaitIdle();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"netty", "web"})
  void aMegabyteOfRefusalIsNotReadToItsEnd(String client) {
    String page = "x".repeat(65_536);
    try (Vendor vendor =
        Vendor.of((n, arrival, response) -> n == 1
            ? response.status(429).header("Retry-After", "0.01").sendString(Flux.just(page).repeat(15))
            : response.sendString(Mono.just("served")))) {
      assertThat(send(client, HttpMethod.GET, vendor.url(), engine).block(SOON)).isEqualTo("200served");
      pool.awaitIdle();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"netty", "web"})
  void aRefusedHeadIsSentAgain(String client) {
    try (Vendor vendor =
        Vendor.of((n, arrival, response) -> n == 1
            ? response.status(429).header("Retry-After", "0.01").header("Content-Length", "1000").send()
            : response.status(204).send())) {
      assertThat(send(client, HttpMethod.HEAD, vendor.url(), engine).block(SOON)).isEqualTo("204");
      assertThat(vendor.arrivals).extracting(Vendor.Arrival::method).containsExactly("HEAD", "HEAD");
      pool.awaitIdle();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"netty", "web"})
  @DisplayName("C036: the caller's timeout ends the wait, nothing is sent later, and the slot is the next one's")
  void theCallersTimeoutEndsTheWait(String client) {
    try (Vendor vendor = Vendor.refusing(0, "0")) {
      assertThat(send(client, HttpMethod.GET, vendor.url(), engine).block(SOON)).isEqualTo("200served 1"); // so that the next is quick
      pacer.coolDown(vendor.key(), Duration.ofMillis(1_500));
      assertThatThrownBy(() -> send(client, HttpMethod.GET, vendor.url(), engine).timeout(Duration.ofMillis(500)).block(SOON))
          .hasCauseInstanceOf(TimeoutException.class);
      recorder.awaitCancelledWaits(vendor.key(), 1);
      assertThat(send(client, HttpMethod.GET, vendor.url(), engine).block(SOON)).isEqualTo("200served 2");
      assertThat(recorder.slots(vendor.key())).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"netty", "web"})
  @DisplayName("C040: fifty that wait hold at most one connection and no place in the queue, and another host goes on")
  void whoWaitsHoldsNoConnection(String client) {
    try (Vendor slow = Vendor.refusing(0, "0"); Vendor quick = Vendor.refusing(0, "0")) {
      pacer.pace(slow.key(), Pace.of(1, Duration.ofSeconds(5)));
      Disposable waiting = Flux.range(0, 50).flatMap(n -> send(client, HttpMethod.GET, slow.url(), engine), 50).subscribe();
      for (int n = 0; n < 20; n++) {
        assertThat(send(client, HttpMethod.GET, quick.url(), engine).block(SOON)).startsWith("200");
        assertThat(pool.inUse()).isLessThanOrEqualTo(2); // one to each
        assertThat(pool.pending()).isZero();
      }
      waiting.dispose();
      pool.awaitIdle();
      assertThat(slow.arrivals).hasSizeLessThan(20);
      recorder.awaitCancelledWaits(slow.key(), 50 - recorder.slots(slow.key()));
    }
  }

  /** How many of forty requests at once failed, that take 200 ms each, on one connection of five streams. */
  private long failedOverFiveStreams(Pace pace) {
    WatchedPool streams =
        new WatchedPool(
            "streams",
            p -> p.pendingAcquireTimeout(Duration.ofMillis(1_000))
                .allocationStrategy(
                    Http2AllocationStrategy.builder().minConnections(0).maxConnections(1).maxConcurrentStreams(5).build()));
    try (Vendor vendor =
        Vendor.of(
            (n, arrival, response) -> response.sendString(Mono.just("served").delayElement(Duration.ofMillis(200))),
            HttpProtocol.H2C)) {
      pacer.pace(vendor.key(), pace);
      HttpClient client = PacingHttpClient.decorate(HttpClient.create(streams.provider).protocol(HttpProtocol.H2C), engine);
      Long served =
          Flux.range(0, 40)
              .flatMap(n -> client.get().uri(vendor.url()).responseContent().aggregate().asString().onErrorComplete(), 40)
              .count()
              .block(SOON);
      streams.provider.disposeLater().block(SOON);
      return 40 - served;
    }
  }

  @Test
  void aPacedLoadFitsIntoTheStreamsOfOneConnection() {
    assertThat(failedOverFiveStreams(Pace.perSecond(15))).isZero();
    assertThat(failedOverFiveStreams(Pace.perSecond(1_000))).as("without a pace to speak of").isPositive();
  }
}
