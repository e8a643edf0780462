package dev.pacer;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import reactor.core.scheduler.Scheduler;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Virtual time, a cursor in memory that several pacers may share, and one who listens. */
final class World {

  static final String KEY = "images.example.com";

  final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  final Recorder heard = new Recorder();
  final LocalCursor cursor = new LocalCursor(time);

  Pacer.Builder builder() {
    return Pacer.builder().scheduler(time).cursor(cursor).listener(heard);
  }

  Pacer pacer(Pace pace) {
    return builder().defaultPace(pace).build();
  }

  Caller call(Pacer pacer) {
    return call(pacer, Call.ONE);
  }

  Caller call(Pacer pacer, Call call) {
    return call(time, pacer, call);
  }

  static Caller call(Scheduler clock, Pacer pacer, Call call) {
    Caller caller = Caller.of(clock);
    pacer.reserve(KEY, call).subscribe(caller);
    return caller;
  }

  /** So many calls at once. */
  List<Caller> calls(Pacer pacer, int n) {
    return calls(pacer, n, Call.ONE);
  }

  List<Caller> calls(Pacer pacer, int n, Call call) {
    return Stream.generate(() -> call(pacer, call)).limit(n).toList();
  }

  void pass(Duration duration) {
    time.advanceTimeBy(duration);
  }

  long now() {
    return time.now(TimeUnit.NANOSECONDS);
  }

  /** How far the key's cursor is ahead. */
  long ahead() {
    return cursor.peek(KEY).block().aheadNanos();
  }

  /** Puts the key's cursor so far ahead, as another process would. */
  void book(Duration ahead) {
    Gcra nanos = new Gcra(Gcra.FRACTION, 1);
    long permits = ahead.toNanos() - Math.max(0, ahead());
    cursor
        .take(new Cursor.Claim(KEY, nanos, permits, 1, permits, Long.MAX_VALUE / 512, 0, Long.MAX_VALUE / 512))
        .block();
  }

  static List<Long> times(List<Caller> callers) {
    return callers.stream().filter(Caller::passed).map(caller -> caller.at).sorted().toList();
  }

  static List<Duration> waits(List<Caller> callers) {
    return callers.stream().map(caller -> caller.waited).toList();
  }

  static Duration seconds(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }
}
