package dev.pacer;

import java.util.HashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import reactor.core.scheduler.Schedulers;

/** All interleavings, up to a number, of threads that bring news to one lane. */
public class StepsRaceTest implements Steps.Walker {

  private final Steps steps = new Steps(this, settings());
  private final AtomicInteger taken = new AtomicInteger();
  private final AtomicInteger inside = new AtomicInteger();
  private int done;
  private boolean ends;
  private boolean overlapped;
  private boolean retired;

  private static Settings settings() {
    return new Settings(
        new LocalCursor(Schedulers.immediate()), new Paces(new HashMap<>(), key -> null, null), Schedulers.immediate(),
        new Handover(Schedulers.immediate()), PacerListener.NONE, new RoundTrips(1), Backoff.DEFAULT, new Suspension(),
        1, 1);
  }

  @Operation
  public void run() {
    if (steps.run(() -> done++)) {
      taken.incrementAndGet();
    }
  }

  @Operation
  public void end() {
    if (steps.run(this::last)) {
      taken.incrementAndGet();
    }
  }

  private void last() {
    done++;
    ends = true;
  }

  @Override
  public boolean step(@Nullable Waiter caller) {
    overlapped |= inside.incrementAndGet() > 1;
    steps.hear();
    inside.decrementAndGet();
    return false;
  }

  @Override
  public boolean mayRetire() {
    return ends;
  }

  @Override
  public void retire() {
    overlapped |= retired;
    retired = true;
  }

  @Validate
  public void everyPieceOfNewsThatWasTakenIsDoneOnceAndByOneThreadAtATime() {
    if (overlapped || done != taken.get()) { // AssertJ does not let itself be instrumented
      throw new IllegalStateException("taken " + taken + ", done " + done + ", overlapped " + overlapped);
    }
  }

  @Test
  void nothingIsLostAndNothingDoneTwice() {
    new ModelCheckingOptions().iterations(15).invocationsPerIteration(1_000).threads(3).actorsPerThread(2).check(getClass());
  }
}
