package dev.pacer.benchmarks;

import dev.pacer.Pacer;
import dev.pacer.http.HttpPacing;
import dev.pacer.http.PacingExchangeFilter;
import dev.pacer.http.PacingHttpClient;
import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.reactor.ratelimiter.operator.RateLimiterOperator;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;

/**
 * What pacing adds to a request over loopback that need not wait: its slot, its gate, and the reading of what the vendor
 * says in the headers. Resilience4j's operator takes a permit and looks at no answer.
 *
 * <p>{@code java -jar benchmarks/target/benchmarks.jar FilterOverhead -prof gc}
 */
public class FilterOverhead extends JmhSettings {

  @Benchmark
  public @Nullable String httpClient(Vendor vendor) {
    return vendor.get(vendor.plain);
  }

  @Benchmark
  public @Nullable String httpClientOfPacer(Vendor vendor) {
    return vendor.get(vendor.paced);
  }

  @Benchmark
  public @Nullable String webClient(Vendor vendor) {
    return vendor.get(vendor.plainWeb).block();
  }

  @Benchmark
  public @Nullable String webClientOfPacer(Vendor vendor) {
    return vendor.get(vendor.pacedWeb).block();
  }

  @Benchmark
  public @Nullable String webClientOfResilience4j(Vendor vendor) {
    return vendor.get(vendor.plainWeb).transformDeferred(RateLimiterOperator.of(vendor.limiter)).block();
  }

  /** A server in this process, and everybody who asks it. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the set-up
  public static class Vendor {

    private static final String BODY = "{\"ok\":true}";

    private final Pacer pacer = Pacer.builder().defaultPace(Ceiling.pace()).build();
    private final RateLimiter limiter =
        RateLimiter.of(
            "vendor",
            RateLimiterConfig.custom()
                .limitForPeriod(Ceiling.PER_SECOND)
                .limitRefreshPeriod(Duration.ofSeconds(1))
                .timeoutDuration(Buckets.PATIENCE)
                .build());

    private DisposableServer server;
    private String url;
    private HttpClient plain;
    private HttpClient paced;
    private WebClient plainWeb;
    private WebClient pacedWeb;

    @Setup
    public void open() {
      Database.quieten();
      server =
          HttpServer.create()
              .host("127.0.0.1")
              .port(0)
              .handle((request, response) -> response.sendString(Mono.just(BODY)))
              .bindNow();
      url = "http://127.0.0.1:" + server.port() + "/";
      HttpPacing pacing = HttpPacing.builder(pacer).build();
      plain = HttpClient.create();
      paced = PacingHttpClient.decorate(plain, pacing);
      plainWeb = WebClient.builder().clientConnector(new ReactorClientHttpConnector(plain)).build();
      pacedWeb = plainWeb.mutate().filter(PacingExchangeFilter.of(pacing)).build();
    }

    @Nullable String get(HttpClient client) {
      return client.get().uri(url).responseContent().aggregate().asString().block();
    }

    Mono<String> get(WebClient client) {
      return client.get().uri(url).retrieve().bodyToMono(String.class);
    }

    @TearDown
    public void close() {
      server.disposeNow();
      pacer.close();
    }
  }
}
