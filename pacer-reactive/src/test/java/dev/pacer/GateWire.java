package dev.pacer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;

/** The way to a shared cursor: takes its time, can be cut, and counts what goes over it. */
final class GateWire implements Cursor {

  final List<Stop> stops = new ArrayList<>();
  final Sinks.Many<Notice> notices = Sinks.many().multicast().directBestEffort();
  boolean cut;
  boolean closed;

  private final Cursor cursor;
  private final Duration oneWay;
  private final Scheduler clock;

  GateWire(Cursor cursor, Duration oneWay, Scheduler clock) {
    this.cursor = cursor;
    this.oneWay = oneWay;
    this.clock = clock;
  }

  private <T> Mono<T> over(Mono<T> question) {
    return Mono.delay(oneWay, clock)
        .flatMap(there -> cut || closed ? Mono.error(new CursorException("cut", null)) : question)
        .flatMap(answer -> Mono.delay(oneWay, clock).thenReturn(answer));
  }

  @Override
  public Mono<Grant> take(Claim claim) {
    return over(cursor.take(claim));
  }

  @Override
  public Mono<Boolean> giveBack(Refund refund) {
    return over(cursor.giveBack(refund));
  }

  @Override
  public Mono<Standing> peek(String key) {
    return over(cursor.peek(key));
  }

  @Override
  public Mono<Cooldown> coolDown(Stop stop) {
    return Mono.defer(
        () -> {
          stops.add(stop);
          return over(cursor.coolDown(stop));
        });
  }

  @Override
  public Mono<Cooldown> relax(Relief relief) {
    return over(cursor.relax(relief));
  }

  @Override
  public Flux<Notice> notices() {
    return notices.asFlux();
  }

  @Override
  public Mono<Void> close() {
    return Mono.fromRunnable(() -> closed = true);
  }
}
