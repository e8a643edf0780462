package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Nothing loops hot: a lane neither asks nor looks again and again for what will be the same. */
class QuietLaneTest {

  private static final Backoff PLAIN = Backoff.DEFAULT.jitter(Duration.ZERO).least(Duration.ofMillis(100));

  private final SimLoop loop = new SimLoop(); // throws when too much happens
  private final SimClock clock = new SimClock(loop, /* present= */ 1_000_000_000);
  private final LocalCursor shared = new LocalCursor(clock, Wire.SHARED_CLOCK);
  private final Wire wire = new Wire(shared, Duration.ofNanos(500_000), clock);

  private Pacer pacer(Pace pace) {
    return Pacer.builder()
        .scheduler(clock)
        .cursor(wire)
        .defaultPace(pace)
        .backoff(PLAIN)
        .fallback(Fallback.DEFAULT.maxProcesses(3).heartbeat(Duration.ZERO))
        .build();
  }

  private Caller call(Pacer pacer, Call call) {
    return World.call(clock, pacer, call);
  }

  private void pass(double seconds) {
    loop.run(loop.now() + World.seconds(seconds).toNanos());
  }

  @Test
  void aProcessThatIsAloneDoesNotTakeAndGiveBackTheSlotThatIsTooSoonAfterItsBurst() {
    Pacer pacer = pacer(Pace.of(8, Duration.ofSeconds(5)).burst(4));
    call(pacer, Call.of(3));
    pass(1);
    wire.state = Wire.State.CUT;
    Caller alone = call(pacer, Call.ONE);
    pass(20);
    assertThat(alone.passed()).isTrue();
  }

  @Test
  void aWideningThatTheCursorDoesNotKnowOfIsNotAskedForAgainAndAgain() {
    Pacer pacer = pacer(Pace.perSecond(1));
    call(pacer, Call.ONE);
    pass(1);
    wire.state = Wire.State.CUT;
    call(pacer, Call.ONE);
    pass(1);
    pacer.coolDown(World.KEY, Duration.ofMillis(100));
    pass(3);
    wire.state = Wire.State.UP;
    pass(6);
    assertThat(pacer.gate(World.KEY).widening()).isOne();
    int before = wire.claims.size();
    List<Caller> calls = Stream.generate(() -> call(pacer, Call.ONE)).limit(5).toList();
    pass(15);
    assertThat(calls).allMatch(Caller::passed);
    assertThat(wire.claims.size() - before).isLessThanOrEqualTo(10);
  }

  @Test
  void aClosedLaneWaitsQuietlyForTheAnswerToItsStop() {
    Pacer pacer = pacer(Pace.perSecond(1));
    call(pacer, Call.ONE);
    pass(1);
    wire.state = Wire.State.HELD;
    pacer.coolDown(World.KEY, Duration.ofMillis(100));
    pacer.close();
    pass(2);
    wire.up();
    pass(1);
    assertThat(pacer.size()).isZero();
    assertThat(clock.pending()).isZero();
  }

  @Test
  void slotsThatCouldNotBeGivenBackDoNotKeepALaneBusyWhileItsGateIsShut() {
    Pacer pacer = pacer(Pace.perSecond(1));
    call(pacer, Call.ONE);
    Caller second = call(pacer, Call.ONE);
    pass(0.1);
    bookBehind();
    wire.state = Wire.State.HELD;
    second.cancel();
    pass(0.01);
    wire.state = Wire.State.UP;
    pacer.coolDown(World.KEY, Duration.ofSeconds(10));
    pass(0.01);
    wire.up(); // only now the lane hears that somebody has booked behind
    pass(5);
    assertThat(wire.refunds).hasSize(1);
    assertThat(pacer.inCooldown(World.KEY)).isTrue();
  }

  /** Another process takes a slot. */
  private void bookBehind() {
    long everything = Long.MAX_VALUE / 512;
    shared.take(new Cursor.Claim(World.KEY, Pace.perSecond(1).gcra(), 1, 1, 1, everything, 0, everything)).block();
  }
}
