package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.http.server.HttpServerResponse;

/** P6 and P7 as a vendor sees them, of processes that share nothing but a PostgreSQL. */
class TwoProcessesIT {

  private static final int PER_SECOND = 200;
  private static final int CALLS = 500;
  private static final int PARALLEL = 20;
  private static final Duration SHUT = Duration.ofSeconds(2);

  /** The notification has 50 ms; the rest is for the wire and for threads of a busy machine. */
  private static final Duration KNOWN_TO_ALL = Duration.ofMillis(50 + 250);

  private final AtomicInteger held = new AtomicInteger();
  private final AtomicLong refusedAt = new AtomicLong();
  private final Sinks.Empty<Void> refusal = Sinks.empty();

  /** Holds twenty requests of one process until all twenty are here, and then refuses them together. */
  private Publisher<Void> answer(int n, Vendor.Arrival arrival, HttpServerResponse response) {
    boolean hold =
        !HttpProcess.isWarmUp(arrival)
            && "netty".equals(arrival.headers().get(HttpProcess.WHO))
            && refusedAt.get() == 0
            && n > 100
            && held.get() < PARALLEL;
    if (!hold) {
      return response.sendString(Mono.just("served")).then();
    }
    if (held.incrementAndGet() == PARALLEL) {
      refusedAt.set(System.nanoTime());
      refusal.tryEmitEmpty();
    }
    return refusal.asMono().then(Mono.from(Vendor.refuse(response, "" + SHUT.toSeconds())));
  }

  @Test
  @DisplayName("C060, C111: twice 500 queued calls and twenty parallel 429s to one process: nothing arrives of either until the gate opens, and all are served")
  void whatOneProcessIsToldStopsBothUntilTheGateOpensAndThenTheyComeInSingleFile() {
    String database = TestDatabase.shared().freshDatabase();
    try (Vendor vendor = Vendor.of(this::answer);
        HttpProcess netty = HttpProcess.start("netty", database, vendor, PER_SECOND);
        HttpProcess web = HttpProcess.start("web", database, vendor, PER_SECOND)) {
      netty.ready();
      web.ready();
      netty.call(CALLS);
      web.call(CALLS);
      List<HttpProcess.Report> reports = List.of(netty.report(), web.report());

      assertThat(reports).extracting(HttpProcess.Report::served).containsOnly(CALLS);
      assertThat(reports).extracting(HttpProcess.Report::strikes).containsOnly(1);
      assertThat(reports).extracting(HttpProcess.Report::cooldowns).containsOnly(1);

      List<Vendor.Arrival> calls = vendor.arrivals.stream().filter(a -> !HttpProcess.isWarmUp(a)).toList();
      assertThat(calls).hasSize(2 * CALLS + PARALLEL);
      long opens = refusedAt.get() + SHUT.toNanos();
      assertThat(calls)
          .filteredOn(a -> a.at() > refusedAt.get() + KNOWN_TO_ALL.toNanos() && a.at() < opens)
          .as("arrivals at the shut gate")
          .isEmpty();
      assertThat(calls).filteredOn(a -> a.at() < refusedAt.get()).extracting(TwoProcessesIT::who).contains("netty", "web");
      assertThat(calls).filteredOn(a -> a.at() >= opens).extracting(TwoProcessesIT::who).contains("netty", "web");
      assertInSingleFile(calls.stream().filter(a -> a.at() >= opens).map(TwoProcessesIT::sentAt).sorted().toList());
    }
  }

  private static String who(Vendor.Arrival arrival) {
    return arrival.headers().get(HttpProcess.WHO);
  }

  private static long sentAt(Vendor.Arrival arrival) {
    return Long.parseLong(arrival.headers().get(HttpProcess.SENT));
  }

  /** In any stretch of time no more than the pace has slots in it, but for the lateness of a busy machine. */
  private static void assertInSingleFile(List<Long> times) {
    long interval = Duration.ofSeconds(1).toNanos() / PER_SECOND;
    long late = Duration.ofMillis(200).toNanos();
    assertThat(times).hasSizeGreaterThan(CALLS);
    for (int from = 0; from < times.size(); from++) {
      for (int to = from + 1; to < times.size(); to++) {
        assertThat(to - from + 1L).isLessThanOrEqualTo((times.get(to) - times.get(from) + late) / interval + 1);
      }
    }
  }
}
