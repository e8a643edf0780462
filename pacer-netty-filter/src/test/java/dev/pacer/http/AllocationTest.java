package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the ordinary request costs beside its sending. It does not depend on how busy the machine is. */
class AllocationTest {

  private static final int CALLS = 10_000;

  /** Bytes, as compiled without escape analysis, which only ever makes them fewer. */
  private static final long MOST_JUDGED = 600;

  private static final long MOST_NAMED = 320;

  private static final HttpHeaders HEADERS =
      new DefaultHttpHeaders()
          .add("Date", "Tue, 02 Jan 2024 10:00:00 GMT")
          .add("Content-Type", "application/json")
          .add("Content-Length", "11");

  private static final Instant NOW = Instant.parse("2024-01-02T10:00:00Z");

  @Test
  void aGoodAnswerWithoutRateLimitHeadersAllocatesLittle() {
    Answer answer = new Answer(200, AllocationTest::lines, NOW);
    assertThat(bytes(() -> Vendors.GENERIC.verdict(answer))).isLessThanOrEqualTo(MOST_JUDGED);
    assertThat(Vendors.GENERIC.verdict(answer)).isEqualTo(new Verdict.Pass(0));
  }

  @Test
  void theKeyOfAPlainHostAllocatesLittle() {
    String uri = "https://api.example.com:8443/v1/items?page=2";
    assertThat(bytes(() -> Destination.of(uri).key())).isLessThanOrEqualTo(MOST_NAMED);
    assertThat(Destination.of(uri).key()).isEqualTo("api.example.com:8443");
  }

  private static @Nullable List<String> lines(String name) {
    return HEADERS.contains(name) ? HEADERS.getAll(name) : null;
  }

  /** Of one call, after as many that load the classes. */
  private static long bytes(Supplier<?> call) {
    com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    int kept = kept(call);
    long before = threads.getCurrentThreadAllocatedBytes();
    kept += kept(call);
    long bytes = (threads.getCurrentThreadAllocatedBytes() - before) / CALLS;
    assertThat(kept).as("nothing was left out").isEqualTo(2 * CALLS);
    return bytes;
  }

  private static int kept(Supplier<?> call) {
    int kept = 0;
    for (int n = 0; n < CALLS; n++) {
      kept += call.get() == null ? 0 : 1;
    }
    return kept;
  }
}
