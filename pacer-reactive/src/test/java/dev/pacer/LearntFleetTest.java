package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.CursorException.Extent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** How many processes there are, as they learn it from a database that comes and goes. */
class LearntFleetTest {

  private static final int PROCESSES = 8;
  private static final CursorException AWAY = new CursorException("away", null, Extent.ALL);

  private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  private final LocalCursor shared = new LocalCursor(time, Wire.SHARED_CLOCK);
  private final Map<Integer, Long> seen = new HashMap<>();
  private final List<Caller> calls = new ArrayList<>();
  private boolean away;

  /** Counts as PostgreSQL does: who was not heard of for long enough is gone. */
  private final class Counted extends Wrapped {
    private final int process;
    boolean mayCount = true;

    Counted(int process) {
      super(shared);
      this.process = process;
    }

    @Override
    public Mono<Grant> take(Claim claim) {
      return Mono.defer(() -> away ? Mono.error(AWAY) : super.take(claim));
    }

    @Override
    public Mono<Fleet> checkIn(long memoryNanos) {
      return Mono.defer(() -> away ? Mono.error(AWAY) : Mono.just(count(memoryNanos)));
    }

    private Fleet count(long memoryNanos) {
      long now = shared.now();
      if (!mayCount) {
        return new Fleet(0, now);
      }
      seen.values().removeIf(at -> at < now - memoryNanos);
      seen.put(process, now);
      return new Fleet(seen.size(), now);
    }

    @Override
    public void forget(String key) {}
  }

  private Pacer pacer(Cursor cursor) {
    return Pacer.builder().scheduler(time).cursor(cursor).defaultPace(Pace.perSecond(80)).build();
  }

  private void call(Pacer pacer, int n) {
    IntStream.range(0, n)
        .forEach(
            i -> {
              Caller caller = Caller.of(time);
              pacer.reserve("key").subscribe(caller);
              calls.add(caller);
            });
  }

  private void pass(double seconds) {
    time.advanceTimeBy(Duration.ofNanos(Math.round(seconds * 1e9)));
  }

  private long passed(Duration last) {
    long from = time.now(TimeUnit.NANOSECONDS) - last.toNanos();
    return calls.stream().filter(call -> call.passed() && call.at >= from).count();
  }

  @Test
  @DisplayName("P11: who could not say that it is alive for want of the database is not taken for gone")
  void longOutagesOneAfterTheOtherDoNotMakeEachThinkThatItIsAlone() {
    List<Pacer> fleet = Stream.iterate(0, i -> i + 1).limit(PROCESSES).map(i -> pacer(new Counted(i))).toList();
    for (Pacer pacer : fleet) {
      call(pacer, 1);
      pass(0.4);
    }
    pass(30);
    for (int outage = 0; outage < 4; outage++) {
      away = true;
      fleet.forEach(pacer -> call(pacer, 1));
      pass(40);
      away = false;
      pass(5.5);
    }
    away = true;
    fleet.forEach(pacer -> call(pacer, 800));
    pass(20);
    assertThat(passed(Duration.ofSeconds(10))).isLessThanOrEqualTo(800 + PROCESSES);
  }

  @Test
  void processesThatHaveGoneAreBelievedToBeGoneInTheEnd() {
    Pacer stays = pacer(new Counted(0));
    call(stays, 1);
    seen.put(1, shared.now());
    pass(11);
    pass(120);
    away = true;
    call(stays, 2_000);
    pass(20);
    assertThat(passed(Duration.ofSeconds(10))).isBetween(799L, 801L);
  }

  @Test
  void whatWasCountedIsNotForgottenWhenItMayNotBeCountedAnyMore() {
    Counted cursor = new Counted(0);
    Pacer pacer = pacer(cursor);
    IntStream.range(1, 80).forEach(i -> seen.put(i, Long.MAX_VALUE));
    call(pacer, 1);
    pass(11);
    cursor.mayCount = false;
    pass(120);
    away = true;
    call(pacer, 250);
    pass(20);
    assertThat(passed(Duration.ofSeconds(10))).isBetween(9L, 11L);
  }
}
