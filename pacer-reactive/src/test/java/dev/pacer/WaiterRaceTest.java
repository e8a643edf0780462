package dev.pacer;

import java.time.Duration;
import java.util.HashMap;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.scheduler.Schedulers;

/** All interleavings, up to a number, of a call that is let go, refused and cancelled at once. */
public class WaiterRaceTest implements CoreSubscriber<Duration> {

  private static final Pacer PACER =
      Pacer.builder().scheduler(Schedulers.immediate()).defaultPace(Pace.perSecond(1)).build();

  private final Settings settings =
      new Settings(
          new LocalCursor(Schedulers.immediate()), new Paces(new HashMap<>(), key -> null, null),
          Schedulers.immediate(), new Handover(Schedulers.immediate()), PacerListener.NONE, new RoundTrips(1),
          Backoff.DEFAULT, new Suspension(), 1, 1);
  private final Waiter waiter = new Waiter(this, new Reservation(PACER, "key", Call.ONE));
  private volatile int values;
  private volatile int errors;
  private volatile int ends;
  private volatile boolean cancelled;

  public WaiterRaceTest() {
    waiter.set(1); // it waits
  }

  @Operation(runOnce = true)
  public void slot() {
    if (waiter.leaves(new Run.Slot(0, 0, 0))) {
      waiter.handOver(settings);
    }
  }

  @Operation(runOnce = true)
  public void refusal() {
    if (waiter.leaves(new IllegalStateException("too late"))) {
      waiter.handOver(settings);
    }
  }

  @Operation
  public void cancel() {
    waiter.cancel();
    cancelled = true;
  }

  @Override
  public void onSubscribe(Subscription subscription) {}

  @Override
  public void onNext(Duration waited) {
    values++;
  }

  @Override
  public void onError(Throwable error) {
    errors++;
  }

  @Override
  public void onComplete() {
    ends++;
  }

  @Validate
  public void oneSignalAtMostAndOneIfNobodyCancelled() {
    if (values + errors > 1 || values != ends) {
      throw new IllegalStateException("values " + values + ", errors " + errors + ", cancelled " + cancelled);
    }
  }

  @Test
  void aCallIsServedOrRefusedOrCancelled() {
    new ModelCheckingOptions().iterations(10).invocationsPerIteration(1_000).threads(3).actorsPerThread(1).check(getClass());
  }
}
