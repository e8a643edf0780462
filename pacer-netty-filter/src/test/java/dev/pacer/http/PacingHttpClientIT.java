package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pacer.Backoff;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.netty.ByteBufFlux;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

@ExtendWith(NoLeaks.class)
class PacingHttpClientIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Pace FAST = Pace.perSecond(1_000);

  private final Recorder recorder = new Recorder();
  private final Pacer pacer =
      Pacer.builder()
          .defaultPace(FAST)
          .backoff(Backoff.DEFAULT.least(Duration.ZERO).jitter(Duration.ZERO).widening(0, 1, false))
          .listener(recorder)
          .build();
  private final HttpPacing engine = HttpPacing.builder(pacer).build();
  private final ConnectionProvider pool =
      ConnectionProvider.builder("test").maxConnections(1).pendingAcquireTimeout(Duration.ofMillis(500)).build();
  private final HttpClient client = PacingHttpClient.decorate(HttpClient.create(pool), engine);

  @AfterEach
  void close() {
    pacer.close();
    pool.disposeLater().block(SOON);
  }

  /** The ways to the answer. */
  enum Way {
    RESPONSE {
      @Override
      Mono<String> send(HttpClient.ResponseReceiver<?> receiver) {
        return receiver.response().map(response -> String.valueOf(response.status().code()));
      }
    },
    SINGLE {
      @Override
      Mono<String> send(HttpClient.ResponseReceiver<?> receiver) {
        return receiver.responseSingle((response, body) -> body.asString());
      }
    },
    FUNCTION {
      @Override
      Mono<String> send(HttpClient.ResponseReceiver<?> receiver) {
        return receiver.response((response, body) -> body.aggregate().asString()).single();
      }
    },
    CONTENT {
      @Override
      Mono<String> send(HttpClient.ResponseReceiver<?> receiver) {
        return receiver.responseContent().aggregate().asString();
      }
    },
    CONNECTION {
      @Override
      Mono<String> send(HttpClient.ResponseReceiver<?> receiver) {
        return receiver
            .responseConnection(
                (response, connection) ->
                    connection.inbound().receive().aggregate().asString().doOnTerminate(connection::dispose))
            .single();
      }
    };

    abstract Mono<String> send(HttpClient.ResponseReceiver<?> receiver);
  }

  @Test
  void eachSubscriptionOfOneMonoTakesItsOwnSlotAndTheConnectionIsUsedAgain() {
    try (Vendor vendor = Vendor.refusing(0, "0")) {
      Mono<String> assembled = client.get().uri(vendor.url() + "/x").responseContent().aggregate().asString();
      assertThat(assembled.repeat(2).collectList().block(SOON)).hasSize(3);
      assertThat(recorder.slots(vendor.key())).isEqualTo(3);
      assertThat(vendor.connections()).isEqualTo(1);
    }
  }

  @Test
  void aRequestThatWaitsHoldsNoConnectionAndNoPlaceInThePoolsQueue() {
    try (Vendor vendor = Vendor.refusing(0, "0")) {
      pacer.coolDown(vendor.key(), Duration.ofMillis(1_500)); // longer than the pool lets anybody wait
      List<String> bodies =
          Flux.range(0, 3)
              .flatMap(n -> client.get().uri(vendor.url()).responseContent().aggregate().asString())
              .collectList()
              .block(SOON);
      assertThat(bodies).hasSize(3);
    }
  }

  @Test
  void theResponseTimeoutDoesNotRunWhileARequestWaitsButDoesAfterwards() {
    try (Vendor vendor =
        Vendor.of(
            (n, arrival, response) ->
                n == 1
                    ? response.sendString(Mono.just("served")).then()
                    : Mono.delay(Duration.ofSeconds(20)).then(response.send()))) {
      HttpClient impatient = client.responseTimeout(Duration.ofMillis(400));
      pacer.coolDown(vendor.key(), Duration.ofMillis(1_000));
      assertThat(impatient.get().uri(vendor.url()).responseContent().aggregate().asString().block(SOON))
          .isEqualTo("served");
      assertThatThrownBy(() -> impatient.get().uri(vendor.url()).response().block(SOON))
          .isInstanceOf(io.netty.handler.timeout.ReadTimeoutException.class);
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aRefusedRequestIsSentAgainWithItsWholeBodyOnTheSameConnection(Way way) {
    sendsAgain(way, HttpProtocol.HTTP11);
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void aRefusedRequestIsSentAgainOverHttp2(Way way) {
    sendsAgain(way, HttpProtocol.H2C);
  }

  private void sendsAgain(Way way, HttpProtocol protocol) {
    try (Vendor vendor = Vendor.refusing(3, "0.02", protocol)) {
      HttpClient.ResponseReceiver<?> receiver =
          client.protocol(protocol).post().uri(vendor.url()).send(ByteBufFlux.fromString(Flux.just("ab", "cd")));
      assertThat(way.send(receiver).block(SOON)).isIn("served 4", "200");
      assertThat(vendor.arrivals).extracting(Vendor.Arrival::body).containsExactly("abcd", "abcd", "abcd", "abcd");
      assertThat(vendor.connections()).isEqualTo(1);
      assertThat(recorder.slots(vendor.key())).isEqualTo(4);
      assertThat(vendor.between(0, 3)).isGreaterThanOrEqualTo(Duration.ofMillis(60));
    }
  }

  @Test
  void noBufferIsReleasedTwiceWhenTheCallerAggregates() {
    try (Vendor vendor = Vendor.of((n, arrival, response) -> n % 2 == 1
        ? Vendor.refuse(response, "0.001") : response.sendString(Mono.just("served")).then())) {
      for (int round = 0; round < 20; round++) {
        assertThat(client.get().uri(vendor.url()).responseContent().aggregate().asString().block(SOON))
            .isEqualTo("served");
      }
      assertThat(vendor.connections()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"empty", "chunked", "close", "megabyte", "endless", "stalled"})
  void aRefusalsBodyOfWhateverKindKeepsNobodyForLong(String kind) {
    for (HttpProtocol protocol : List.of(HttpProtocol.HTTP11, HttpProtocol.H2C)) {
      try (Vendor vendor =
          Vendor.of(
              (n, arrival, response) ->
                  n == 1
                      ? body(kind, response.status(429).header("Retry-After", "0.01"))
                      : response.sendString(Mono.just("served")).then(),
              protocol)) {
        String served =
            client.protocol(protocol).get().uri(vendor.url()).responseContent().aggregate().asString().block(SOON);
        assertThat(served).isEqualTo("served");
        assertThat(vendor.arrivals).hasSize(2);
        assertThat(vendor.between(0, 1)).isLessThan(Duration.ofSeconds(10));
      }
    }
  }

  private static org.reactivestreams.Publisher<Void> body(
      String kind, reactor.netty.http.server.HttpServerResponse response) {
    ByteBuf kilobyte = Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(new byte[1024]));
    return switch (kind) {
      case "empty" -> response.send();
      case "close" -> response.header("Connection", "close").sendString(Mono.just("x"));
      case "megabyte" -> response.send(Flux.range(0, 1024).map(n -> kilobyte.duplicate()));
      case "endless" -> response.send(Flux.interval(Duration.ofMillis(1)).onBackpressureDrop().map(n -> kilobyte.duplicate()), b -> true);
      case "stalled" -> response.sendString(Flux.just("x").concatWith(Flux.never()), StandardCharsets.UTF_8);
      default -> response.sendString(Flux.just("a", "b", "c"));
    };
  }

  @Test
  void aRefusedHeadIsSentAgain() {
    try (Vendor vendor =
        Vendor.of((n, arrival, response) -> n == 1
            ? response.status(429).header("Retry-After", "0.01").header("Content-Length", "1000").send()
            : response.status(204).send())) {
      assertThat(client.head().uri(vendor.url()).response().block(SOON).status().code()).isEqualTo(204);
      assertThat(vendor.connections()).isEqualTo(1);
    }
  }

  @Test
  void aCompressedRefusalIsSentAgain() {
    try (Vendor vendor = Vendor.refusing(1, "0.01")) {
      assertThat(client.compress(true).get().uri(vendor.url()).responseContent().aggregate().asString().block(SOON))
          .isEqualTo("served 2");
    }
  }

  @Test
  void theLastRefusalIsGivenBackAsItCame() {
    try (Vendor vendor = Vendor.refusing(100, "0.01")) {
      String seen =
          client
              .get()
              .uri(vendor.url())
              .responseSingle(
                  (response, body) ->
                      body.asString().map(text -> response.status().code() + response.responseHeaders().get("Retry-After") + text))
              .block(SOON);
      assertThat(seen).isEqualTo("4290.01slow down");
      assertThat(vendor.arrivals).hasSize(4);
    }
  }

  @Test
  void aFigureBeyondTheBudgetGivesTheRefusalBackAtOnceAndShutsTheGate() {
    try (Vendor vendor = Vendor.refusing(100, "198300")) {
      assertThat(client.get().uri(vendor.url()).response().block(SOON).status().code()).isEqualTo(429);
      assertThat(vendor.arrivals).hasSize(1);
      assertThat(pacer.remaining(vendor.key())).isGreaterThan(Duration.ofHours(55));
      assertThatThrownBy(() -> client.get().uri(vendor.url()).response().block(SOON))
          .isInstanceOf(dev.pacer.RateLimitedException.class);
      assertThat(vendor.arrivals).hasSize(1);
    }
  }

  @Test
  void theCallersTimeoutEndsTheWaitAndNothingIsSentLater() throws Exception {
    try (Vendor vendor = Vendor.refusing(0, "0")) {
      pacer.coolDown(vendor.key(), Duration.ofMillis(800));
      assertThatThrownBy(() -> client.get().uri(vendor.url()).response().timeout(Duration.ofMillis(100)).block(SOON))
          .hasCauseInstanceOf(TimeoutException.class);
      Mono.delay(Duration.ofMillis(1_200)).block(SOON);
      assertThat(vendor.arrivals).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(value = HttpProtocol.class, names = {"HTTP11", "H2C"})
  void cancellingAtAnyMomentLeavesNothingBehind(HttpProtocol protocol) {
    try (Vendor vendor = Vendor.sometimesRefusing(protocol)) {
      Storm storm = new Storm();
      HttpClient wide = PacingHttpClient.decorate(HttpClient.create(storm.pool), engine).protocol(protocol);
      // aggregate() loses a buffer now and then when it is cancelled, decorated or not
      storm.rages(() -> wide.get().uri(vendor.url()).responseContent().map(ByteBuf::readableBytes).then());
      assertThat(wide.get().uri(vendor.url()).responseContent().aggregate().asString().block(SOON)).isNotNull();
      storm.leavesNothingInUse();
    }
  }

  @Test
  void aBodyThatCanBeReadOnceIsNotSentAgainAndSaysSo() {
    try (Vendor vendor = Vendor.refusing(1, "0.01")) {
      Sinks.Many<ByteBuf> once = Sinks.many().unicast().onBackpressureBuffer();
      once.tryEmitNext(Unpooled.copiedBuffer("abcd", StandardCharsets.UTF_8));
      once.tryEmitComplete();
      assertThatThrownBy(() -> client.post().uri(vendor.url()).send(once.asFlux()).response().block(SOON))
          .isInstanceOfSatisfying(
              RequestNotReplayableException.class,
              told -> {
                assertThat(told.status()).isEqualTo(429);
                assertThat(told.retryAfter()).contains(Duration.ofMillis(10));
              });
    }
  }

  @Test
  void theKeyIsFoundInEveryWayToSayWhereARequestGoes() {
    try (Vendor vendor = Vendor.refusing(0, "0")) {
      String key = vendor.key();
      client.get().uri(vendor.url() + "/a?b").response().block(SOON);
      client.get().uri(java.net.URI.create(vendor.url() + "/a")).response().block(SOON);
      client.baseUrl(vendor.url()).get().uri("/a").response().block(SOON);
      client.baseUrl(vendor.url() + "/").get().uri("/a").response().block(SOON);
      client.baseUrl(vendor.url()).get().response().block(SOON);
      client.host("127.0.0.1").port(vendor.port()).get().uri("/a").response().block(SOON);
      client.get().uri("127.0.0.1:" + vendor.port() + "/a").response().block(SOON);
      client.baseUrl(vendor.url()).get().uri(Mono.just("/a")).response().block(SOON);
      assertThat(recorder.slots(key)).isEqualTo(8);
      client.get().uri("http://LocalHost:" + vendor.port() + "/a").response().block(SOON);
      assertThat(recorder.slots("localhost:" + vendor.port())).isEqualTo(1);

      client.get().uri(vendor.url()).response().contextWrite(RequestPacing.key("mine").context()).block(SOON);
      client.get().uri(Mono.just(vendor.url())).response().contextWrite(RequestPacing.key("mine").context()).block(SOON);
      assertThat(recorder.slots("mine")).isEqualTo(2);

      assertThatThrownBy(() -> client.get().uri(Mono.just(vendor.url())).response().block(SOON))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("needs a key of its own");

      HttpClient fixed = PacingHttpClient.decorate(HttpClient.create(pool), engine, "fixed");
      fixed.get().uri(Mono.just(vendor.url())).response().block(SOON);
      assertThat(recorder.slots("fixed")).isEqualTo(1);
      assertThat(vendor.arrivals).hasSize(12);
    }
  }

  @Test
  void manyRequestsAtOnceGetEachTheKeyOfTheirOwn() {
    try (Vendor one = Vendor.refusing(0, "0"); Vendor two = Vendor.refusing(0, "0")) {
      pacer.defaultPace(Pace.perSecond(100_000));
      HttpClient wide = PacingHttpClient.decorate(
          HttpClient.create(ConnectionProvider.builder("wide").maxConnections(16).pendingAcquireMaxCount(-1).build()), engine);
      Flux.range(0, 3_000)
          .parallel(8)
          .runOn(Schedulers.parallel())
          .flatMap(n -> wide.get().uri((n % 3 == 0 ? one : two).url()).responseContent().aggregate().asString())
          .sequential()
          .blockLast(Duration.ofMinutes(1));
      assertThat(recorder.slots(one.key())).isEqualTo(1_000);
      assertThat(recorder.slots(two.key())).isEqualTo(2_000);
    }
  }

  @Test
  void decoratedTwiceIsPacedOnce() {
    try (Vendor vendor = Vendor.refusing(1, "0.01")) {
      HttpClient twice = PacingHttpClient.decorate(client, engine);
      assertThat(twice.get().uri(vendor.url()).responseContent().aggregate().asString().block(SOON)).isEqualTo("served 2");
      assertThat(recorder.slots(vendor.key())).isEqualTo(2);
      HttpClient fixedTwice =
          PacingHttpClient.decorate(PacingHttpClient.decorate(HttpClient.create(pool), engine, "k"), engine, "k");
      fixedTwice.get().uri(vendor.url()).response().block(SOON);
      assertThat(recorder.slots("k")).isEqualTo(1);
    }
  }

  @Test
  void aRedirectTakesASlotWhereItGoesAndARefusalThereShutsThatGate() {
    try (Vendor there = Vendor.refusing(1, "0.05");
        Vendor here =
            Vendor.of((n, arrival, response) -> response.status(302).header("Location", there.url() + "/b").send())) {
      String served = client.followRedirect(true).get().uri(here.url() + "/a").responseContent().aggregate().asString().block(SOON);
      assertThat(served).isEqualTo("served 2");
      assertThat(recorder.cooldowns(there.key())).isPositive();
      assertThat(recorder.cooldowns(here.key())).isZero();
      assertThat(there.between(0, 1)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
      assertThat(recorder.slots(here.key())).isEqualTo(2);
      assertThat(recorder.slots(there.key())).isGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void aWebsocketIsPacedAndARefusedHandshakeIsTriedAgain() {
    try (Vendor vendor = Vendor.of((n, arrival, response) -> n == 1
        ? Vendor.refuse(response, "0.05") : response.sendWebsocket((in, out) -> out.sendString(Mono.just("hello"))))) {
      String hello = client.websocket().uri("ws://127.0.0.1:" + vendor.port()).receive().aggregate().asString().block(SOON);
      assertThat(hello).isEqualTo("hello");
      assertThat(recorder.slots(vendor.key())).isEqualTo(2);
      assertThat(vendor.between(0, 1)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
    }
  }

  @Test
  void theEngineItselfHopsNowhere() {
    try (Vendor vendor = Vendor.refusing(0, "0")) {
      String[] thread = new String[1];
      HttpPacing unpaced = HttpPacing.builder(pacer).pacing(false).build();
      HttpClient watched = PacingHttpClient.decorate(HttpClient.create(pool), unpaced).headersWhen(headers -> Mono.fromSupplier(() -> {
        thread[0] = Thread.currentThread().getName();
        return headers;
      }));
      watched.get().uri(vendor.url()).response().block(SOON);
      assertThat(thread[0]).isEqualTo(Thread.currentThread().getName());
    }
  }

  @Test
  void theContextIsThereAfterEveryKindOfWait() {
    try (Vendor vendor = Vendor.refusing(2, "0.02")) {
      String seen =
          client.get().uri(vendor.url()).responseContent().aggregate().asString()
              .flatMap(body -> Mono.deferContextual(context -> Mono.just(body + context.get("user"))))
              .contextWrite(context -> context.put("user", "u1"))
              .block(SOON);
      assertThat(seen).isEqualTo("served 3u1");
    }
  }

  @Test
  void atTheOpeningOfAGateTheSmallPoolIsNotOverrun() {
    try (Vendor vendor = Vendor.refusing(0, "0")) {
      pacer.pace(vendor.key(), Pace.perSecond(100));
      HttpClient small = PacingHttpClient.decorate(
          HttpClient.create(ConnectionProvider.builder("small").maxConnections(4).pendingAcquireMaxCount(8).build()), engine);
      small.get().uri(vendor.url()).response().block(SOON);
      pacer.coolDown(vendor.key(), Duration.ofMillis(300));
      List<String> bodies = Flux.range(0, 200)
          .flatMap(n -> small.get().uri(vendor.url()).responseContent().aggregate().asString(), 200)
          .collectList().block(SOON);
      assertThat(bodies).hasSize(200);
    }
  }

  @Test
  void anotherHostOnTheSamePoolDoesNotWaitForThePacedOne() {
    try (Vendor slow = Vendor.refusing(0, "0"); Vendor quick = Vendor.refusing(0, "0")) {
      pacer.pace(slow.key(), Pace.perSecond(1));
      Disposable waiting =
          Flux.range(0, 50)
              .flatMap(n -> client.get().uri(slow.url()).responseContent().aggregate().asString(), 50)
              .subscribe();
      List<String> served =
          Flux.range(0, 20)
              .flatMap(n -> client.get().uri(quick.url()).responseContent().aggregate().asString(), 1)
              .collectList()
              .block(SOON);
      assertThat(served).hasSize(20);
      assertThat(slow.arrivals.size()).isLessThan(20);
      waiting.dispose();
    }
  }

  @Test
  void aRedirectToAPlaceWithoutAPaceIsFollowedAndItsRefusalGivenBackOrRepeated() {
    try (Vendor there = Vendor.refusing(1, "0.01");
        Vendor here =
            Vendor.of((n, arrival, response) -> response.status(302).header("Location", there.url()).send());
        Pacer onlyHere = Pacer.builder().pace(here.key(), FAST).build()) {
      HttpClient following =
          PacingHttpClient.decorate(HttpClient.create(), HttpPacing.builder(onlyHere).build()).followRedirect(true);
      assertThat(following.get().uri(here.url()).responseContent().aggregate().asString().block(SOON))
          .isEqualTo("served 2");
    }
  }

  @Test
  void aProxyIsStillAsked() {
    try (Vendor proxy = Vendor.refusing(0, "0")) {
      HttpClient proxied =
          client.proxy(to -> to.type(reactor.netty.transport.ProxyProvider.Proxy.HTTP).host("127.0.0.1").port(proxy.port()));
      assertThatThrownBy(() -> proxied.get().uri("http://vendor.test/a").response().block(SOON))
          .isInstanceOf(Exception.class);
      assertThat(proxy.arrivals).extracting(Vendor.Arrival::method).contains("CONNECT");
      assertThat(recorder.slots("vendor.test")).isEqualTo(1);
    }
  }

  @Test
  void ofManyQueuedRequestsNoneArrivesBeforeTheGateOpensAndThenTheyComeInSingleFile() {
    try (Vendor vendor = Vendor.of((n, arrival, response) -> n == 20
        ? Vendor.refuse(response, "2") : response.sendString(Mono.just("served")).then())) {
      pacer.pace(vendor.key(), Pace.perSecond(200));
      ConnectionProvider eight =
          ConnectionProvider.builder("eight").maxConnections(8).pendingAcquireMaxCount(500).build();
      HttpClient wide = PacingHttpClient.decorate(HttpClient.create(eight), engine);
      List<String> served =
          Flux.range(0, 500)
              .flatMap(n -> wide.get().uri(vendor.url()).responseContent().aggregate().asString(), 500)
              .collectList()
              .block(SOON);
      assertThat(served).hasSize(500).containsOnly("served");
      assertThat(vendor.arrivals).hasSize(501);
      long refusedAt = vendor.arrivals.get(19).at();
      long onTheirWay = vendor.arrivals.stream().skip(20).filter(a -> a.at() - refusedAt < 1_999_000_000L).count();
      assertThat(onTheirWay).isLessThan(20); // that had been sent before the answer was here; none waited
      assertThat(vendor.between(20 + (int) onTheirWay, 500))
          .isGreaterThanOrEqualTo(Duration.ofMillis(2_000));
      eight.disposeLater().block(SOON);
    }
  }
}
