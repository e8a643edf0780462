package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Backoff;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import io.micrometer.context.ContextRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.MDC;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;
import reactor.util.context.Context;

/** Whose Context and whose MDC a request finds, where it goes on after each kind of wait. */
@ExtendWith(NoLeaks.class)
class ContextIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String USER = "user";
  private static final int REQUESTS = 100;

  private final Pacer pacer =
      Pacer.builder()
          .defaultPace(Pace.perSecond(500))
          .backoff(Backoff.DEFAULT.least(Duration.ZERO).jitter(Duration.ZERO).widening(0, 1, false))
          .build();
  private final HttpPacing engine = HttpPacing.builder(pacer).attempts(20).build();
  private final ConnectionProvider pool =
      ConnectionProvider.builder("two").maxConnections(2).pendingAcquireMaxCount(-1).build();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final AtomicInteger asked = new AtomicInteger();

  /** Whose request this thread is making, where it makes one. */
  private final ThreadLocal<String> making = new ThreadLocal<>();

  /** What must hold at a place that requests pass, of the user in the Context and the one in the MDC. */
  private interface Rule {
    boolean holds(String inContext, String inMdc);
  }

  private Mono<Void> check(String where, Rule rule) {
    return Mono.deferContextual(
        context -> {
          asked.incrementAndGet();
          String inContext = context.getOrDefault(USER, "none");
          String inMdc = MDC.get(USER);
          if (!rule.holds(inContext, inMdc)) {
            wrong.add(where + ": " + inContext + " in the Context and " + inMdc + " in the MDC");
          }
          return Mono.empty();
        });
  }

  /** The two clients, asking the rule behind the engine, for each sending, and again where the answer comes out. */
  enum Client {
    WEB {
      @Override
      Mono<String> get(ContextIT test, Vendor vendor, Rule rule) {
        WebClient client =
            WebClient.builder()
                .clientConnector(new ReactorClientHttpConnector(HttpClient.create(test.pool)))
                .filter(PacingExchangeFilter.of(test.engine))
                .filter((request, next) -> test.check("sending", rule).then(Mono.defer(() -> next.exchange(request))))
                .build();
        return client.get().uri(vendor.url()).retrieve().bodyToMono(String.class);
      }
    },
    NETTY {
      @Override
      Mono<String> get(ContextIT test, Vendor vendor, Rule rule) {
        return PacingHttpClient.decorate(HttpClient.create(test.pool), test.engine)
            .headersWhen(headers -> test.check("sending", rule).thenReturn(headers))
            .get()
            .uri(vendor.url())
            .responseContent()
            .aggregate()
            .asString();
      }
    };

    abstract Mono<String> get(ContextIT test, Vendor vendor, Rule rule);
  }

  /** All wait at a gate, then for slots, and each third again for a gate, until they are served. */
  private int serveAll(Client client, Rule sending, Rule answered) {
    try (Vendor vendor = Vendor.sometimesRefusing()) {
      pacer.coolDown(vendor.key(), Duration.ofMillis(200));
      List<String> served =
          Flux.range(0, REQUESTS)
              .map(n -> "user-" + n)
              .doOnNext(making::set)
              .flatMap(
                  user ->
                      client.get(this, vendor, sending)
                          .flatMap(body -> check("answer", answered).thenReturn(body))
                          .contextWrite(Context.of(USER, user)),
                  REQUESTS)
              .collectList()
              .block(SOON);
      assertThat(served).hasSize(REQUESTS);
      assertThat(vendor.arrivals).hasSizeGreaterThan(REQUESTS);
      return vendor.arrivals.size();
    }
  }

  @BeforeEach
  void register() {
    ContextRegistry.getInstance()
        .registerThreadLocalAccessor(USER, () -> MDC.get(USER), user -> MDC.put(USER, user), () -> MDC.remove(USER));
  }

  @AfterEach
  void close() {
    Hooks.disableAutomaticContextPropagation();
    ContextRegistry.getInstance().removeThreadLocalAccessor(USER);
    MDC.remove(USER);
    pacer.close();
    pool.disposeLater().block(SOON);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("C103: after each kind of wait the Context is the request's own, and with automatic propagation the MDC too")
  void withAutomaticPropagationTheMdcIsTheRequestsOwn(Client client) {
    Hooks.enableAutomaticContextPropagation();
    Rule own = (inContext, inMdc) -> inContext.startsWith("user-") && inContext.equals(inMdc);
    int sendings = serveAll(client, own, own);
    assertThat(wrong).isEmpty();
    assertThat(asked).hasValue(sendings + REQUESTS);
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("C103: without automatic propagation nobody else's MDC leaks into a request that waited")
  void withoutItNobodyElsesMdcLeaksIn(Client client) {
    MDC.put(USER, "whoever called first");
    Rule nobodys =
        (inContext, inMdc) -> inContext.startsWith("user-") && (inMdc == null || inContext.equals(making.get()));
    serveAll(client, nobodys, nobodys);
    assertThat(wrong).isEmpty();
  }
}
