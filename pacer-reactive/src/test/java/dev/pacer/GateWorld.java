package dev.pacer;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Virtual time, a cursor in memory that several pacers may share, and one who listens. No jitter. */
final class GateWorld {

  static final String KEY = "api.example.com";
  static final Backoff PLAIN = Backoff.DEFAULT.jitter(Duration.ZERO);

  /** Leaves the pace alone, so that times are simple. */
  static final Backoff LEVEL = PLAIN.widening(0, 20, true);

  final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  final GateEars heard = new GateEars();
  final LocalCursor cursor = new LocalCursor(time);

  Pacer.Builder builder() {
    return Pacer.builder().scheduler(time).cursor(cursor).listener(heard).backoff(LEVEL);
  }

  Pacer pacer(double perSecond) {
    return builder().defaultPace(Pace.perSecond(perSecond)).build();
  }

  GateCall call(Pacer pacer) {
    return call(pacer, Call.ONE);
  }

  GateCall call(Pacer pacer, Call call) {
    GateCall caller = new GateCall(time);
    pacer.reserve(KEY, call).subscribe(caller);
    return caller;
  }

  List<GateCall> calls(Pacer pacer, int n) {
    return Stream.generate(() -> call(pacer)).limit(n).toList();
  }

  /** One attempt of a client: reserves, looks at the gate last thing, sends, and tells the pacer the answer. */
  Mono<GateVendor.Answer> send(Pacer pacer, GateVendor vendor) {
    return pacer
        .reserve(KEY)
        .then(
            Mono.defer(
                () -> {
                  Sent sent = pacer.sending(KEY);
                  return sent == null ? send(pacer, vendor) : vendor.answer(time).doOnNext(it -> tell(pacer, sent, it));
                }));
  }

  static void tell(Pacer pacer, Sent sent, GateVendor.Answer answer) {
    if (answer.stop()) {
      pacer.coolDown(sent, answer.retryAfter());
    } else {
      pacer.succeeded(sent);
    }
  }

  void pass(Duration duration) {
    time.advanceTimeBy(duration);
  }

  void pass(double seconds) {
    pass(seconds(seconds));
  }

  long now() {
    return time.now(TimeUnit.NANOSECONDS);
  }

  Cursor.Gate row() {
    Cursor.Cooldown cooldown = cursor.peek(KEY).block().cooldown();
    return new Cursor.Gate(cooldown.remainingNanos(), cooldown.strikes(), cooldown.generation(), cooldown.widening());
  }

  static List<Long> times(List<GateCall> calls) {
    return calls.stream().filter(GateCall::passed).map(call -> call.at).sorted().toList();
  }

  /** The distances between neighbours. */
  static List<Duration> gaps(List<Long> times) {
    return Stream.iterate(1, i -> i < times.size(), i -> i + 1)
        .map(i -> Duration.ofNanos(times.get(i) - times.get(i - 1)))
        .toList();
  }

  static Duration seconds(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }
}
