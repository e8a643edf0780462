package dev.pacer;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/** One call of a simulated process: waits for its slot, looks at the gate last thing, sends, and tells the answer. */
final class SimCall extends BaseSubscriber<Duration> {

  private static final int MOST_LOOKS = 4;

  final Call call;
  private final SimProcess process;
  private final long preparation;
  private final int looks;
  final long since;
  private final long stoppedBefore;

  /** How long it waited by its process's clock, without the time in which that was stopped; -1 while it waits. */
  long took = -1;

  boolean passed;
  boolean cancelled;
  @Nullable Throwable error;

  SimCall(SimProcess process, Call call, long preparation, int looks) {
    this.process = process;
    this.call = call;
    this.preparation = preparation;
    this.looks = looks;
    this.since = process.clock.nanos();
    this.stoppedBefore = process.clock.stoppedFor;
  }

  void start() {
    process.pacer.reserve(World.KEY, call).subscribe(this);
  }

  void abandon() {
    cancelled = took < 0;
    cancel();
  }

  boolean waits() {
    return took < 0 && !cancelled;
  }

  @Override
  protected void hookOnSubscribe(Subscription subscription) {
    subscription.request(1);
  }

  @Override
  protected void hookOnNext(Duration waited) {
    passed = true;
    ended();
    process.passed(call.permits());
    process.clock.schedule(this::send, preparation, TimeUnit.NANOSECONDS);
  }

  @Override
  protected void hookOnError(Throwable reason) {
    error = reason;
    ended();
    process.sim.say(() -> process + " fails " + this);
  }

  private void ended() {
    took = process.clock.nanos() - since - (process.clock.stoppedFor - stoppedBefore);
  }

  private void send() {
    Sent sent = process.sending();
    if (sent != null) {
      process.send(sent);
    } else if (looks < MOST_LOOKS && !process.closed) {
      process.call(call, preparation, looks + 1);
    }
  }

  @Override
  public String toString() {
    return call + (passed ? " passed" : error != null ? " failed: " + error : cancelled ? " cancelled" : " waits") + " after " + took + " ns, came at " + since;
  }
}
