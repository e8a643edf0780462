package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** What a reservation allocates does not depend on how busy the machine is, so that a test can hold it down. */
class AllocationTest {

  private static final int KEYS = 64;
  private static final int CALLS = 20_000;

  /** As compiled without escape analysis; the compiler only ever makes it less. */
  private static final long MOST_BYTES = 1_300;

  private final String[] keys = IntStream.range(0, KEYS).mapToObj(i -> "key-" + i).toArray(String[]::new);

  private static final class Nobody implements CoreSubscriber<Object> {

    private int served;

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Object waited) {
      served++;
    }

    @Override
    public void onError(Throwable error) {
      throw new AssertionError(error);
    }

    @Override
    public void onComplete() {}
  }

  @Test
  void anImmediateReservationInMemoryAllocatesLittle() {
    com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    Nobody nobody = new Nobody();
    try (Pacer pacer = Pacer.builder().defaultPace(Pace.of(1_000_000, Duration.ofSeconds(1)).burst(1_000_000)).build()) {
      reserve(pacer, nobody); // makes the lanes
      long before = threads.getCurrentThreadAllocatedBytes();
      reserve(pacer, nobody);
      long bytes = (threads.getCurrentThreadAllocatedBytes() - before) / CALLS;
      assertThat(bytes).isLessThanOrEqualTo(MOST_BYTES);
    }
    assertThat(nobody.served).as("at once, on this thread").isEqualTo(2 * CALLS);
  }

  private void reserve(Pacer pacer, Nobody nobody) {
    for (int n = 0; n < CALLS; n++) {
      pacer.reserve(keys[n % KEYS]).subscribe(nobody);
    }
  }
}
