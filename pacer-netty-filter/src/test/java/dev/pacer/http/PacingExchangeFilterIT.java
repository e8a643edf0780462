package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pacer.Backoff;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.Priority;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.InputStreamResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.client.MultipartBodyBuilder;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.util.LinkedMultiValueMap;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ExchangeFilterFunctions;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;
import reactor.util.retry.Retry;

@ExtendWith(NoLeaks.class)
class PacingExchangeFilterIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final Recorder recorder = new Recorder();
  private final Pacer pacer =
      Pacer.builder()
          .defaultPace(Pace.perSecond(1_000))
          .backoff(Backoff.DEFAULT.least(Duration.ZERO).jitter(Duration.ZERO).widening(0, 1, false))
          .listener(recorder)
          .build();
  private final HttpPacing engine = HttpPacing.builder(pacer).build();
  private final ConnectionProvider pool =
      ConnectionProvider.builder("test").maxConnections(1).pendingAcquireTimeout(Duration.ofMillis(500)).build();
  private final HttpClient netty = HttpClient.create(pool);
  private final WebClient client = client(engine, netty);

  private static WebClient client(HttpPacing engine, HttpClient netty) {
    return WebClient.builder()
        .clientConnector(new ReactorClientHttpConnector(netty))
        .filter(PacingExchangeFilter.of(engine))
        .build();
  }

  @AfterEach
  void close() {
    pacer.close();
    pool.disposeLater().block(SOON);
  }

  private String get(Vendor vendor) {
    return client.get().uri(vendor.url()).retrieve().bodyToMono(String.class).block(SOON);
  }

  @ParameterizedTest
  @EnumSource(value = HttpProtocol.class, names = {"HTTP11", "H2C"})
  void aRefusedRequestIsSentAgainAndTheCallerSeesTheGoodAnswer(HttpProtocol protocol) {
    try (Vendor vendor = Vendor.refusing(3, "0.02", protocol)) {
      WebClient c = client(engine, netty.protocol(protocol));
      assertThat(c.get().uri(vendor.url()).retrieve().bodyToMono(String.class).block(SOON)).isEqualTo("served 4");
      assertThat(vendor.connections()).isEqualTo(1);
      assertThat(recorder.slots(vendor.key())).isEqualTo(4);
      assertThat(vendor.between(0, 3)).isGreaterThanOrEqualTo(Duration.ofMillis(60));
    }
  }

  @Test
  void aRequestThatWaitsHoldsNoConnectionAndNoPlaceInThePoolsQueue() {
    try (Vendor vendor = Vendor.refusing(0, "0")) {
      pacer.coolDown(vendor.key(), Duration.ofMillis(1_500));
      assertThat(Flux.range(0, 3)
              .flatMap(n -> client.get().uri(vendor.url()).retrieve().bodyToMono(String.class)).collectList().block(SOON))
          .hasSize(3);
    }
  }

  @Test
  void theLastRefusalReachesTheCallerWithItsBody() {
    try (Vendor vendor = Vendor.refusing(100, "0.01")) {
      assertThatThrownBy(() -> get(vendor))
          .isInstanceOfSatisfying(
              WebClientResponseException.TooManyRequests.class,
              refused -> {
                assertThat(refused.getResponseBodyAsString()).isEqualTo("slow down");
                assertThat(refused.getHeaders().getFirst("Retry-After")).isEqualTo("0.01");
              });
      assertThat(vendor.arrivals).hasSize(4);
    }
  }

  @Test
  void orTheErrorIfThatIsAskedFor() {
    try (Vendor vendor = Vendor.refusing(100, "0.01")) {
      HttpPacing strict = HttpPacing.builder(pacer).attempts(2).onRefused(HttpPacing.OnRefused.ERROR).build();
      assertThatThrownBy(() -> client(strict, netty).get().uri(vendor.url()).retrieve().toBodilessEntity().block(SOON))
          .isInstanceOf(RefusedException.class);
      assertThat(vendor.arrivals).hasSize(2);
      assertThat(vendor.connections()).isEqualTo(1);
    }
  }

  /** Bodies that can be read again. */
  enum Body {
    VALUE,
    MONO,
    FLUX,
    FORM,
    MULTIPART,
    RESOURCE,
    HEAP_BUFFER;

    WebClient.RequestHeadersSpec<?> of(WebClient.RequestBodySpec request) {
      return switch (this) {
        case VALUE -> request.bodyValue("abcd");
        case MONO -> request.body(Mono.just("abcd"), String.class);
        case FLUX -> request.body(Flux.just("ab", "cd"), String.class);
        case FORM -> request.body(BodyInserters.fromFormData(new LinkedMultiValueMap<>()).with("abcd", "abcd"));
        case MULTIPART -> {
          MultipartBodyBuilder parts = new MultipartBodyBuilder();
          parts.part("abcd", "abcd");
          yield request.body(BodyInserters.fromMultipartData(parts.build()));
        }
        case RESOURCE -> request.bodyValue(new ByteArrayResource("abcd".getBytes(StandardCharsets.UTF_8)));
        case HEAP_BUFFER -> request.body(
            BodyInserters.fromDataBuffers(Flux.defer(() -> Flux.just(buffer()))));
      };
    }

    private static DataBuffer buffer() {
      return DefaultDataBufferFactory.sharedInstance.wrap("abcd".getBytes(StandardCharsets.UTF_8));
    }
  }

  @ParameterizedTest
  @EnumSource(Body.class)
  void aBodyThatCanBeReadAgainArrivesWholeEachTime(Body body) {
    try (Vendor vendor = Vendor.refusing(2, "0.01")) {
      assertThat(body.of(client.post().uri(vendor.url())).retrieve().bodyToMono(String.class).block(SOON))
          .isEqualTo("served 3");
      assertThat(vendor.arrivals).hasSize(3).allSatisfy(arrival -> assertThat(arrival.body()).contains("abcd"));
      assertThat(vendor.arrivals.get(0).headers().contains("Content-Length"))
          .isEqualTo(vendor.arrivals.get(2).headers().contains("Content-Length"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"sink", "released buffer", "stream"})
  void aBodyThatCanBeReadOnceIsNotSentAgainAndSaysSo(String kind) {
    try (Vendor vendor = Vendor.refusing(1, "0.01")) {
      assertThatThrownBy(() -> once(kind, client.post().uri(vendor.url())).retrieve().toBodilessEntity().block(SOON))
          .isInstanceOfSatisfying(
              RequestNotReplayableException.class,
              told -> {
                assertThat(told.status()).isEqualTo(429);
                assertThat(told.retryAfter()).contains(Duration.ofMillis(10));
              });
      assertThat(get(vendor)).startsWith("served");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"sink", "released buffer", "stream"})
  void withoutResendTheRefusalIsGivenBackInstead(String kind) {
    try (Vendor vendor = Vendor.refusing(1, "0.01")) {
      assertThatThrownBy(
              () ->
                  once(kind, client.post().uri(vendor.url()).attributes(RequestPacing.NONE.resend(false).attribute()))
                      .retrieve()
                      .toBodilessEntity()
                      .block(SOON))
          .isInstanceOf(WebClientResponseException.TooManyRequests.class);
    }
  }

  private static WebClient.RequestHeadersSpec<?> once(String kind, WebClient.RequestBodySpec request) {
    switch (kind) {
      case "sink" -> {
        Sinks.Many<String> sink = Sinks.many().unicast().onBackpressureBuffer();
        sink.tryEmitNext("abcd");
        sink.tryEmitComplete();
        return request.body(sink.asFlux(), String.class);
      }
      case "released buffer" -> {
        ByteBuf pooled = io.netty.buffer.PooledByteBufAllocator.DEFAULT.buffer().writeBytes("abcd".getBytes(StandardCharsets.UTF_8));
        return request.bodyValue(new NettyDataBufferFactory(pooled.alloc()).wrap(pooled));
      }
      default -> {
        Resource stream = new InputStreamResource(new ByteArrayInputStream("abcd".getBytes(StandardCharsets.UTF_8)));
        return request.bodyValue(stream);
      }
    }
  }

  @Test
  void filtersBehindRunForEachSendingAndErrorsMadeBeforeOrBehindAreUnderstood() {
    try (Vendor vendor = Vendor.refusing(2, "0.01")) {
      AtomicInteger tokens = new AtomicInteger();
      WebClient c =
          client.mutate()
              .filter((request, next) -> next.exchange(
                  ClientRequest.from(request).header("Authorization", "token " + tokens.incrementAndGet()).build()))
              .build();
      assertThat(c.get().uri(vendor.url()).retrieve().bodyToMono(String.class).block(SOON)).isEqualTo("served 3");
      assertThat(vendor.arrivals).extracting(arrival -> arrival.headers().get("Authorization"))
          .containsExactly("token 1", "token 2", "token 3");
    }
    try (Vendor vendor = Vendor.refusing(1, "0.01")) {
      WebClient outer =
          WebClient.builder()
              .clientConnector(new ReactorClientHttpConnector(netty))
              .filter(ExchangeFilterFunctions.statusError(HttpStatus.TOO_MANY_REQUESTS::equals, r -> new IllegalStateException("429")))
              .filter(PacingExchangeFilter.of(engine))
              .build();
      assertThat(outer.get().uri(vendor.url()).retrieve().bodyToMono(String.class).block(SOON)).isEqualTo("served 2");
    }
    try (Vendor vendor = Vendor.refusing(1, "0.01")) {
      WebClient inner =
          client.mutate()
              .filter((request, next) -> next.exchange(request).flatMap(
                  r -> r.statusCode().isError() ? r.createException().flatMap(Mono::error) : Mono.just(r)))
              .build();
      assertThat(inner.get().uri(vendor.url()).retrieve().bodyToMono(String.class).block(SOON)).isEqualTo("served 2");
    }
  }

  @Test
  void aRetryAroundItMultipliesItsAttempts() {
    try (Vendor vendor = Vendor.refusing(100, "0.001")) {
      HttpPacing three = HttpPacing.builder(pacer).attempts(3).build();
      assertThatThrownBy(() -> client(three, netty).get().uri(vendor.url()).retrieve().toBodilessEntity()
              .retryWhen(Retry.max(2)).block(SOON))
          .isInstanceOf(RuntimeException.class);
      assertThat(vendor.arrivals).hasSize(9);
      assertThat(recorder.slots(vendor.key())).isEqualTo(9);
    }
  }

  @Test
  void eachAttemptOfTheCallersOwnRetryTakesASlot() {
    try (Vendor vendor = Vendor.of((n, arrival, response) -> n <= 3
        ? response.status(500).send() : response.sendString(Mono.just("served")).then())) {
      assertThat(client.get().uri(vendor.url()).retrieve().bodyToMono(String.class).retry(3).block(SOON)).isEqualTo("served");
      assertThat(recorder.slots(vendor.key())).isEqualTo(4);
    }
  }

  @Test
  void withADecoratedClientBelowARequestIsPacedOnce() {
    try (Vendor vendor = Vendor.refusing(1, "0.01")) {
      WebClient both = client(engine, PacingHttpClient.decorate(netty, engine));
      assertThat(both.get().uri(vendor.url()).retrieve().bodyToMono(String.class).block(SOON)).isEqualTo("served 2");
      assertThat(recorder.slots(vendor.key())).isEqualTo(2);
      WebClient fixed = client(engine, PacingHttpClient.decorate(netty, engine, "fixed"));
      fixed.get().uri(vendor.url()).retrieve().bodyToMono(String.class).block(SOON);
      assertThat(recorder.slots("fixed")).isZero();
      assertThat(recorder.slots(vendor.key())).isEqualTo(3);
    }
  }

  @Test
  void whatAFilterInBetweenSendsElsewhereIsPaced() {
    try (Vendor vendor = Vendor.refusing(0, "0"); Vendor tokens = Vendor.refusing(0, "0")) {
      HttpClient wide = HttpClient.create();
      WebClient tokenClient = client(engine, wide);
      WebClient c = client(engine, PacingHttpClient.decorate(wide, engine)).mutate()
          .filter((request, next) -> tokenClient.get().uri(tokens.url()).retrieve().bodyToMono(String.class)
              .then(Mono.defer(() -> next.exchange(request))))
          .build();
      c.get().uri(vendor.url()).retrieve().bodyToMono(String.class).block(SOON);
      assertThat(recorder.slots(tokens.key())).isEqualTo(1);
      assertThat(recorder.slots(vendor.key())).isEqualTo(1);
    }
  }

  @Test
  void attributesAndContextSayWhatOneRequestWantsDifferent() {
    try (Vendor vendor = Vendor.refusing(0, "0")) {
      pacer.pace("mine", Pace.perSecond(1_000).burst(5));
      client.get().uri(vendor.url())
          .attributes(RequestPacing.key("mine").permits(5).priority(Priority.URGENT).attribute())
          .retrieve().toBodilessEntity()
          .contextWrite(RequestPacing.key("other").maxWait(Duration.ofSeconds(1)).context()).block(SOON);
      assertThat(recorder.slots("mine")).isEqualTo(1);
      client.get().uri(vendor.url()).retrieve().toBodilessEntity()
          .contextWrite(RequestPacing.key("other").context()).block(SOON);
      assertThat(recorder.slots("other")).isEqualTo(1);
      pacer.coolDown(vendor.key(), Duration.ofSeconds(5));
      assertThatThrownBy(() -> client.get().uri(vendor.url())
              .attributes(RequestPacing.NONE.maxWait(Duration.ofSeconds(1)).attribute()).retrieve().toBodilessEntity().block(SOON))
          .isInstanceOf(dev.pacer.RateLimitedException.class);
    }
  }

  @Test
  void aUriWithoutAHostNeedsAKey() {
    try (Vendor vendor = Vendor.refusing(0, "0")) {
      WebClient relative = client(engine, netty.baseUrl(vendor.url()));
      assertThatThrownBy(() -> relative.get().uri(URI.create("/a")).retrieve().toBodilessEntity().block(SOON))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("needs a key of its own");
      relative.get().uri(URI.create("/a")).attributes(RequestPacing.key("k").attribute()).retrieve().toBodilessEntity().block(SOON);
      assertThat(recorder.slots("k")).isEqualTo(1);
    }
  }

  @Test
  void bothClientsOfOneEngineShareTheGateAndOtherKeysGoOn() {
    try (Vendor vendor = Vendor.refusing(1, "198300"); Vendor other = Vendor.refusing(0, "0")) {
      HttpClient decorated = PacingHttpClient.decorate(HttpClient.create(), engine);
      assertThat(decorated.get().uri(vendor.url()).response().block(SOON).status().code()).isEqualTo(429);
      assertThatThrownBy(() -> get(vendor)).isInstanceOf(dev.pacer.RateLimitedException.class);
      assertThat(get(other)).isEqualTo("served 1");
    }
  }

  @Test
  void aRefusalThatOnlyItsBodyShowsShutsTheGateAndReachesTheCallerWhole() {
    String error = "{\"errors\":[{\"type\":\"RATE_LIMITED\"}]," + "\"pad\":\"" + "x".repeat(200_000) + "\"}";
    try (Vendor vendor = Vendor.of((n, arrival, response) -> response.sendString(Flux.just(error)).then())) {
      WebClient graphql = client(HttpPacing.builder(pacer).profile(Vendors.GITHUB_GRAPHQL).build(), netty);
      byte[] body = graphql.post().uri(vendor.url()).bodyValue("{}").retrieve().bodyToMono(byte[].class).block(SOON);
      assertThat(body).hasSize(error.length());
      assertThat(pacer.remaining(vendor.key())).isGreaterThan(Duration.ofSeconds(50));
    }
  }

  @Test
  void hundredRefusalsOf64KiBLoseNoConnection() {
    String page = "x".repeat(65_536);
    AtomicBoolean serves = new AtomicBoolean();
    try (Vendor vendor = Vendor.of((n, arrival, response) -> !serves.get()
        ? response.status(429).header("Retry-After", "0.001").sendString(Flux.just(page)).then()
        : response.sendString(Mono.just("served")).then())) {
      ConnectionProvider two = ConnectionProvider.builder("two").maxConnections(2).pendingAcquireTimeout(Duration.ofSeconds(5)).build();
      WebClient c = client(HttpPacing.builder(pacer).attempts(2).build(), HttpClient.create(two));
      Flux.range(0, 50).flatMap(n -> n % 2 == 0
              ? c.get().uri(vendor.url()).exchangeToMono(r -> r.releaseBody()).onErrorComplete()
              : c.get().uri(vendor.url()).exchangeToMono(r -> r.bodyToFlux(DataBuffer.class)
                  .doOnNext(org.springframework.core.io.buffer.DataBufferUtils::release).next().then()), 2)
          .blockLast(SOON);
      assertThat(vendor.arrivals).hasSizeBetween(90, 110);
      serves.set(true);
      assertThat(c.get().uri(vendor.url()).retrieve().bodyToMono(String.class).block(SOON)).isEqualTo("served");
      two.disposeLater().block(SOON);
    }
  }

  @Test
  void theSameFilterWorksOnAnotherConnector() {
    try (Vendor vendor = Vendor.refusing(2, "0.01")) {
      WebClient jdk = WebClient.builder().clientConnector(new JdkClientHttpConnector())
          .filter(PacingExchangeFilter.of(engine)).build();
      assertThat(jdk.post().uri(vendor.url()).bodyValue("abcd").retrieve().bodyToMono(String.class).block(SOON)).isEqualTo("served 3");
      assertThat(vendor.arrivals).extracting(Vendor.Arrival::body).containsOnly("abcd");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"netty", "jdk"})
  void cancellingAtAnyMomentLeavesNothingBehind(String connector) {
    try (Vendor vendor = Vendor.sometimesRefusing(HttpProtocol.HTTP11)) {
      Storm storm = new Storm();
      WebClient c =
          connector.equals("jdk")
              ? WebClient.builder()
                  .clientConnector(new JdkClientHttpConnector())
                  .filter(PacingExchangeFilter.of(engine))
                  .build()
              : client(engine, HttpClient.create(storm.pool));
      storm.rages(() -> c.get().uri(vendor.url()).retrieve().toBodilessEntity());
      assertThat(c.get().uri(vendor.url()).retrieve().bodyToMono(String.class).block(SOON)).isNotNull();
      storm.leavesInUseAtMost(1); // with or without the filter, WebClient loses one in some ten thousand cancels
    }
  }

  @Test
  void anUnreachableDestinationFailsFastAfterwards() {
    Vendor vendor = Vendor.refusing(0, "0");
    String url = vendor.url();
    String key = vendor.key();
    vendor.close();
    WebClient guarded = client(HttpPacing.builder(pacer).guard(UnreachableGuard.create()).build(), netty);
    assertThatThrownBy(() -> guarded.get().uri(url).retrieve().toBodilessEntity().block(SOON))
        .hasCauseInstanceOf(java.net.ConnectException.class);
    assertThatThrownBy(() -> guarded.get().uri(url).retrieve().toBodilessEntity().block(SOON))
        .isInstanceOf(UnreachableException.class);
    assertThat(recorder.slots(key)).isEqualTo(1);
  }
}
