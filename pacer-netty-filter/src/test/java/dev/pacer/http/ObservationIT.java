package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Backoff;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.web.reactive.function.client.ClientRequestObservationContext;
import org.springframework.web.reactive.function.client.WebClient;

@ExtendWith(NoLeaks.class)
class ObservationIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  /** Keeps what has ended. */
  private static final class Ended implements ObservationHandler<Observation.Context> {
    private final List<Observation.Context> contexts = new CopyOnWriteArrayList<>();

    @Override
    public void onStop(Observation.Context context) {
      contexts.add(context);
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
      return true;
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 200", "2, 200", "9, 429"})
  void aCallIsOneObservationWithTheStatusOfItsLastSending(int refusals, int status) {
    Ended ended = new Ended();
    ObservationRegistry registry = ObservationRegistry.create();
    registry.observationConfig().observationHandler(ended);
    try (Vendor vendor = Vendor.refusing(refusals, "0.01");
        Pacer pacer =
            Pacer.builder()
                .defaultPace(Pace.perSecond(1_000))
                .backoff(Backoff.DEFAULT.least(Duration.ZERO).jitter(Duration.ZERO).widening(0, 1, false))
                .build()) {
      WebClient client =
          WebClient.builder()
              .observationRegistry(registry)
              .filter(PacingExchangeFilter.of(HttpPacing.builder(pacer).attempts(3).build()))
              .build();
      client.get().uri(vendor.url()).exchangeToMono(response -> response.releaseBody()).block(SOON);
      assertThat(vendor.arrivals).hasSize(Math.min(refusals + 1, 3));
      assertThat(ended.contexts).singleElement().isInstanceOfSatisfying(ClientRequestObservationContext.class, call -> {
        assertThat(call.getName()).isEqualTo("http.client.requests");
        assertThat(call.getLowCardinalityKeyValue("status").getValue()).isEqualTo("" + status);
        assertThat(call.isAborted()).isFalse();
      });
    }
  }
}
