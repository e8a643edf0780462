package dev.pacer;

import static dev.pacer.GateWorld.KEY;
import static dev.pacer.GateWorld.seconds;
import static dev.pacer.GateWorld.times;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What a gate leaves behind, what it tells, and what it refuses to take. */
class GateLifeTest {

  private final GateWorld world = new GateWorld();

  @Test
  void aLaneWithAGateStaysUntilItIsOpenAndThenGoes() {
    Pacer pacer = world.pacer(10);
    pacer.coolDown(KEY, seconds(3_600));
    world.pass(3_599);
    assertThat(pacer.size()).isEqualTo(1);
    assertThat(pacer.inCooldown(KEY)).isTrue();
    world.pass(1_200);
    assertThat(pacer.size()).isZero();
  }

  @Test
  void aGateOutlivesItsLane() {
    Pacer pacer = world.pacer(10);
    for (int i = 0; i < 3; i++) {
      pacer.coolDown(KEY, null);
      world.pass(pacer.remaining(KEY));
    }
    world.pass(800);
    assertThat(pacer.size()).isZero();
    world.call(pacer);
    assertThat(pacer.gate(KEY).strikes()).isEqualTo(3);
    pacer.coolDown(pacer.sending(KEY), null);
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(240));
  }

  @Test
  void aStopForACallWhoseLaneIsGoneIsHeard() {
    Pacer pacer = world.pacer(10);
    GateCall call = world.call(pacer);
    Sent sent = pacer.sending(KEY);
    world.pass(60);
    assertThat(pacer.size()).isZero();
    pacer.coolDown(sent, seconds(20));
    assertThat(call.passed()).isTrue();
    assertThat(pacer.remaining(KEY)).isEqualTo(seconds(20));
  }

  @Test
  @DisplayName("a million keys that had a gate do not stay in memory")
  void aMillionGatesAreForgotten() {
    Pacer pacer = world.pacer(10);
    for (int round = 0; round < 50; round++) {
      for (int i = 0; i < 20_000; i++) {
        pacer.coolDown("key-" + round + "-" + i, Duration.ofSeconds(1));
      }
      world.pass(Duration.ofMinutes(11));
      assertThat(pacer.size()).isZero();
    }
    assertThat(world.cursor.size()).as("strikes of less than half an hour ago").isLessThan(200_000);
    for (int i = 0; i < 100; i++) {
      world.pass(Duration.ofMinutes(11));
      for (int j = 0; j < 100; j++) {
        pacer.coolDown("later-" + i + "-" + j, Duration.ofSeconds(1));
      }
    }
    assertThat(world.cursor.size()).isLessThan(1_000);
  }

  @Test
  void cancellingDuringACooldownLeavesNothing() {
    Pacer pacer = world.pacer(1_000);
    pacer.coolDown(KEY, seconds(20));
    long timers = world.time.getScheduledTaskCount();
    List<GateCall> calls = world.calls(pacer, 10_000);
    calls.forEach(GateCall::cancel);
    assertThat(world.heard.cancelled.get()).isEqualTo(10_000);
    assertThat(world.time.getScheduledTaskCount() - timers).isLessThanOrEqualTo(2);
    GateCall last = world.call(pacer);
    world.pass(20);
    assertThat(last.waited).as("nobody is in front").isEqualTo(seconds(20));
    assertThat(world.heard.granted.get()).as("no slot was taken for those who left").isLessThanOrEqualTo(2);
    world.pass(1_000);
    assertThat(pacer.size()).isZero();
  }

  @Test
  @DisplayName("P9: a call that is cancelled while it comes back from a gate shut in the last moment is gone, and nothing else")
  void cancelledOnTheWayBack() {
    GateHands hands = new GateHands(world.time);
    List<GateCall> calls = new ArrayList<>();
    Ambush heard = new Ambush(() -> calls.get(1).cancel());
    Pacer pacer = world.builder().scheduler(hands).listener(heard).defaultPace(Pace.perSecond(1)).build();
    calls.addAll(world.calls(pacer, 4));
    hands.hold();
    world.pass(1);
    pacer.coolDown(KEY, seconds(30));
    heard.armed = true; // told of the slot that is lost, between its leaving and its coming back
    hands.letGo();
    assertThat(heard.armed).as("the window was hit").isFalse();
    assertThat(heard.cancels).hasValue(1);
    assertThat(calls.get(1).isDisposed()).isTrue();
    world.pass(30);
    assertThat(calls.get(2).waited).as("nobody is in front").isEqualTo(seconds(31));
    world.pass(1);
    assertThat(calls.get(3).waited).as("and nobody between").isEqualTo(seconds(32));
    assertThat(calls.get(1).waits()).isTrue();
    assertThat(pacer.peek(KEY).block()).as("nobody is counted who has gone").isLessThanOrEqualTo(seconds(1));
    world.pass(1_000);
    assertThat(pacer.size()).isZero();
  }

  /** Does something once, when it is told of a lost slot. */
  private static final class Ambush implements PacerListener {
    private final Runnable once;
    private final AtomicInteger cancels = new AtomicInteger();
    private boolean armed;

    Ambush(Runnable once) {
      this.once = once;
    }

    @Override
    public void lost(String key, long permits) {
      if (armed) {
        armed = false;
        once.run();
      }
    }

    @Override
    public void cancelled(String key) {
      cancels.incrementAndGet();
    }
  }

  @Test
  void cancellingSomeLetsTheOthersMoveUp() {
    Pacer pacer = world.pacer(1);
    pacer.coolDown(KEY, seconds(20));
    List<GateCall> calls = world.calls(pacer, 10);
    calls.subList(0, 8).forEach(GateCall::cancel);
    world.pass(22);
    assertThat(times(calls)).hasSize(2);
    assertThat(calls.get(8).waited).isEqualTo(seconds(20));
  }

  @Test
  void closingDuringACooldownEndsThoseThatWaitAtOnce() {
    AtomicBoolean closed = new AtomicBoolean();
    Pacer pacer = world.pacer(1);
    pacer.whenClosed().subscribe(null, null, () -> closed.set(true));
    pacer.coolDown(KEY, seconds(20));
    List<GateCall> calls = world.calls(pacer, 10);
    pacer.close();
    world.pass(Duration.ZERO);
    assertThat(calls).allMatch(call -> call.error instanceof PacerClosedException);
    assertThat(closed).isTrue();
    assertThat(pacer.size()).isZero();
    pacer.coolDown(KEY, seconds(20));
    pacer.succeeded(KEY);
    assertThat(pacer.size()).as("a closed pacer makes no lanes").isZero();
  }

  @Test
  void withAGraceTheyAreServedIfTheGateOpensInTime() {
    Pacer pacer = world.builder().closeGrace(seconds(30)).defaultPace(Pace.perSecond(1)).build();
    pacer.coolDown(KEY, seconds(20));
    List<GateCall> calls = world.calls(pacer, 15);
    pacer.close();
    world.pass(60);
    assertThat(times(calls)).hasSizeBetween(10, 11);
    assertThat(calls.stream().filter(GateCall::failed)).allMatch(call -> call.error instanceof PacerClosedException);
    assertThat(calls).noneMatch(GateCall::waits);
  }

  @Test
  void whatIsWrongIsRefusedAndChangesNothing() {
    Pacer pacer = world.builder().pace(KEY, Pace.perSecond(1)).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> pacer.coolDown(KEY, Duration.ofNanos(-1)))
        .withMessage("retryAfter must not be negative, was PT-0.000000001S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> pacer.shut(KEY, Duration.ofNanos(-1)))
        .withMessage("length must not be negative, was PT-0.000000001S");
    assertThatIllegalArgumentException().isThrownBy(() -> pacer.shut("", seconds(1))).withMessageContaining("key must have 1 to 512");
    assertThatIllegalArgumentException().isThrownBy(() -> pacer.shut("nobody", seconds(1))).withMessageContaining("has none");
    assertThatIllegalArgumentException().isThrownBy(() -> pacer.coolDown("", null)).withMessageContaining("key must have 1 to 512");
    assertThatIllegalArgumentException().isThrownBy(() -> pacer.coolDown("x".repeat(513), null)).withMessageContaining("key must have 1 to 512");
    assertThatIllegalArgumentException().isThrownBy(() -> pacer.coolDown("a\0b", null)).withMessageContaining("NUL");
    assertThatIllegalArgumentException().isThrownBy(() -> pacer.coolDown("\ud800", null)).withMessageContaining("surrogate");
    assertThatIllegalArgumentException().isThrownBy(() -> pacer.coolDown("nobody", null)).withMessageContaining("has none");
    assertThat(pacer.size()).isZero();
    assertThat(world.heard.shut).isEmpty();
    assertThat(pacer.inCooldown("nobody")).isFalse();
    pacer.succeeded("nobody");
  }

  @Test
  void aFigureBeyondAllReasonIsCutNotOverflown() {
    Pacer pacer = world.pacer(1);
    for (Duration figure : List.of(ChronoUnit.FOREVER.getDuration(), Duration.ofSeconds(Long.MAX_VALUE), Duration.ofDays(365 * 300))) {
      pacer.coolDown(KEY, figure);
      assertThat(pacer.remaining(KEY)).isBetween(Duration.ofDays(366), Duration.ofDays(367));
      assertThat(world.call(pacer).refusal().cooldownLeft()).isGreaterThanOrEqualTo(Duration.ofDays(366));
    }
  }

  @Test
  void aListenerHearsOfEachCooldownOnceAsNewAndThenOnlyOfLongerOnes() {
    Pacer pacer = world.pacer(10);
    pacer.coolDown(KEY, seconds(10));
    pacer.coolDown(KEY, seconds(5));
    pacer.coolDown(KEY, seconds(20));
    assertThat(world.heard.shut).extracting(GateEars.Shut::fresh).startsWith(true).filteredOn(fresh -> fresh).hasSize(1);
    assertThat(world.heard.shut).extracting(GateEars.Shut::remaining).startsWith(seconds(10)).endsWith(seconds(20));
    world.pass(20);
    pacer.coolDown(KEY, null);
    assertThat(world.heard.freshOnes()).isEqualTo(2);
  }

  @Test
  void aListenerThatThrowsOrCallsBackIsNotFelt() {
    Pacer[] pacer = new Pacer[1];
    PacerListener wild =
        new PacerListener() {
          @Override
          public void shut(String key, Duration remaining, int strikes, boolean fresh) {
            pacer[0].coolDown(key, seconds(30));
            throw new IllegalStateException("a listener's fault");
          }
        };
    pacer[0] = world.builder().listener(wild).defaultPace(Pace.perSecond(10)).build();
    Level level = logger().getLevel();
    logger().setLevel(Level.OFF);
    try {
      pacer[0].coolDown(KEY, seconds(10));
    } finally {
      logger().setLevel(level);
    }
    assertThat(pacer[0].remaining(KEY)).isEqualTo(seconds(30));
    GateCall call = world.call(pacer[0]);
    world.pass(30);
    assertThat(call.passed()).isTrue();
  }

  @Test
  @DisplayName("one INFO line per cooldown, whatever comes while it lasts")
  void oneLinePerCooldown() {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    Level level = logger().getLevel();
    logger().addAppender(lines);
    logger().setLevel(Level.INFO);
    logger().setAdditive(false);
    lines.start();
    try {
      Pacer pacer = world.pacer(10);
      world.calls(pacer, 100);
      for (int cooldown = 1; cooldown <= 3; cooldown++) {
        for (int i = 0; i < 20; i++) {
          pacer.coolDown(KEY, seconds(10 + i));
        }
        world.calls(pacer, 100);
        assertThat(lines.list).hasSize(cooldown);
        world.pass(60);
      }
      assertThat(lines.list).allMatch(line -> line.getLevel() == Level.INFO);
      assertThat(lines.list.get(0).getFormattedMessage()).contains(KEY).contains("PT10S");
    } finally {
      logger().detachAppender(lines);
      logger().setLevel(level);
      logger().setAdditive(true);
    }
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(Pacer.class);
  }
}
