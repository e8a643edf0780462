package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** P10: first come first served within a priority, and every lane gets its turn. */
class PriorityTest {

  private static final Call URGENT = Call.ONE.priority(Priority.URGENT);
  private static final Call BULK = Call.ONE.priority(Priority.BULK);

  private final World world = new World();

  @DisplayName("C096: an urgent call waits for one slot, whatever waits in bulk")
  @Test
  void urgentGoesBeforeBulk() {
    Pacer pacer = world.pacer(Pace.perSecond(4));
    List<Caller> bulk = world.calls(pacer, 40, BULK);
    world.pass(World.seconds(0.1));
    Caller urgent = world.call(pacer, URGENT);
    Caller normal = world.call(pacer);
    world.pass(Duration.ofSeconds(20));
    assertThat(urgent.waited).isLessThanOrEqualTo(World.seconds(0.25));
    assertThat(normal.at).isEqualTo(500_000_000);
    assertThat(bulk.get(1).at).isEqualTo(750_000_000);
    assertThat(World.times(bulk)).hasSize(40);
  }

  @DisplayName("C095: 290 in the queue: the next of the same priority waits 290 s; with another key, not at all")
  @Test
  void theQueueIsFirstComeFirstServed() {
    Pacer pacer = world.pacer(Pace.perSecond(1));
    List<Caller> calls = world.calls(pacer, 290);
    Caller interactive = world.call(pacer);
    Caller elsewhere = Caller.of(world.time);
    pacer.reserve("another").subscribe(elsewhere);
    assertThat(elsewhere.waited).isZero();
    world.pass(Duration.ofSeconds(300));
    assertThat(interactive.waited).isEqualTo(Duration.ofSeconds(290));
    assertThat(calls.stream().map(call -> call.at)).isSorted().doesNotHaveDuplicates();
  }

  @DisplayName("C095: 100 callers in a loop at 5/s for 300 s get 15 turns each, give or take two")
  @Test
  void callersInALoopShareEvenly() {
    Pacer pacer = world.pacer(Pace.perSecond(5));
    Map<Integer, Integer> turns = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      int caller = i;
      Mono.defer(() -> pacer.reserve(World.KEY)).doOnNext(waited -> turns.merge(caller, 1, Integer::sum)).repeat().subscribe();
    }
    world.pass(Duration.ofSeconds(300));
    assertThat(turns.values()).hasSize(100).allSatisfy(n -> assertThat(n).isBetween(13, 17));
  }

  @DisplayName("a costly call is not overtaken by the cheap ones behind it")
  @Test
  void aCostlyCallIsNotOvertaken() {
    Pacer pacer = world.pacer(Pace.perSecond(20).burst(10));
    world.calls(pacer, 10);
    Caller costly = world.call(pacer, Call.of(10));
    List<Caller> cheap = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      cheap.add(world.call(pacer));
      world.pass(Duration.ofMillis(10));
    }
    world.pass(Duration.ofSeconds(30));
    assertThat(costly.passed()).isTrue();
    assertThat(costly.waited).isLessThanOrEqualTo(Pace.perSecond(20).burst(10).interval().multipliedBy(10));
    assertThat(cheap).allMatch(Caller::passed).allMatch(call -> call.at >= costly.at);
  }

  @Test
  void urgentCallsOvertakeACostlyOneAndKeepItsPlaceFree() {
    Pacer pacer = world.pacer(Pace.perSecond(20).burst(10));
    world.calls(pacer, 10);
    Caller costly = world.call(pacer, Call.of(10));
    Caller urgent = world.call(pacer, URGENT);
    world.pass(Duration.ofSeconds(5));
    assertThat(urgent.at).isLessThan(costly.at);
    assertThat(costly.passed()).isTrue();
  }

  @DisplayName("processes whose calls cost differently lose no slots between their calls")
  @Test
  void noFragmentsOfGrantsAreLost() {
    Pace pace = Pace.of(104, Duration.ofSeconds(1)).burst(5); // slots 10 ms apart
    List<Caller> calls = new ArrayList<>();
    for (int process = 0; process < 3; process++) {
      Pacer pacer =
          world.builder().cursor(new DistantCursor(world.cursor, world.time, 2_000_000)).defaultPace(pace).build();
      for (int i = 0; i < 600; i++) {
        Caller caller = Caller.of(world.time);
        pacer.reserve(World.KEY, Call.of(1 + (i * 7 + process) % 5)).subscribe(caller);
        calls.add(caller);
      }
    }
    world.pass(Duration.ofSeconds(20));
    long spent = 0;
    for (int i = 0; i < calls.size(); i++) {
      spent += calls.get(i).passed() ? 1 + (i % 600 * 7 + i / 600) % 5 : 0;
    }
    assertThat(spent).isBetween(1_980L, 2_005L);
  }

  @DisplayName("costs and priorities together keep the ceiling, and every permit is spent")
  @Test
  void costlyCallsKeepTheCeiling() {
    Pace pace = Pace.perSecond(50).burst(7);
    Pacer pacer = world.pacer(pace);
    List<Caller> calls = new ArrayList<>();
    List<Window.Spent> line = new ArrayList<>();
    for (int i = 0; i < 210; i++) {
      int cost = 1 + i % 7;
      Caller caller = Caller.of(world.time);
      pacer.reserve(World.KEY, Call.of(cost).priority(Priority.values()[i % 3]))
          .doOnNext(waited -> line.add(new Window.Spent(world.now(), cost)))
          .subscribe(caller);
      calls.add(caller);
    }
    world.pass(Duration.ofSeconds(60));
    assertThat(calls).allMatch(Caller::passed);
    assertThat(Window.violation(line, pace.gcra(), 2)).isEmpty();
    assertThat(world.heard.lost).hasValue(0);
    long permits = 30 * (1 + 2 + 3 + 4 + 5 + 6 + 7);
    long least = pace.gcra().advance(permits - 7);
    assertThat(line.get(line.size() - 1).at()).isBetween(least, least + 8 * pace.interval().toNanos());
  }

  @DisplayName("a costly call takes places in a row, and no others, even after some in between were given back")
  @Test
  void aCostlyCallTakesPlacesInARow() {
    Pace pace = Pace.perSecond(1_003).burst(4); // an interval of 1 ms
    ScriptedCursor cursor = new ScriptedCursor();
    Pacer pacer = world.builder().cursor(cursor).defaultPace(pace).build();
    long due = 2_000_000_000 - 3_000_000; // of place 0
    List<Caller> three = world.calls(pacer, 3);
    cursor.grant(1, due, 0, 1);
    cursor.grant(2, due + 1_000_000, 1_000_000, 2);
    List<Caller> two = world.calls(pacer, 2);
    cursor.grant(1, due + 7_000_000, 7_000_000, 6); // others have booked four in between
    cursor.grant(1, due + 8_000_000, 8_000_000, 7);
    two.forEach(Caller::cancel);
    cursor.accept(true);
    cursor.accept(true);
    cursor.accepts(refund -> Mono.just(false));
    three.forEach(Caller::cancel); // those cannot go back
    Caller costly = world.call(pacer, Call.of(4));
    assertThat(cursor.lastClaim().floor()).isEqualTo(7_000_000);
    cursor.grant(4, due + 7_000_000, 7_000_000, 10);
    world.pass(Duration.ofSeconds(3));
    assertThat(costly.at).as("due at the last of the places 7 to 10").isEqualTo(due + 10_000_000);
  }

  @DisplayName("a lane with 10 000 waiting calls delays another process's next call by a quantum")
  @Test
  void aLongQueueElsewhereDelaysByAQuantum() {
    for (double perSecond : new double[] {7, 1_000}) {
      World fresh = new World();
      Pacer busy = fresh.builder().defaultPace(Pace.perSecond(perSecond)).maxWait(Duration.ofHours(1)).build();
      Pacer other = fresh.pacer(Pace.perSecond(perSecond));
      fresh.calls(busy, 10_000);
      fresh.pass(World.seconds(0.333));
      for (int i = 0; i < 10; i++) {
        Caller single = fresh.call(other);
        fresh.pass(Duration.ofSeconds(1));
        assertThat(single.waited).isLessThanOrEqualTo(World.seconds(Math.max(0.2, 2.001 / perSecond)));
      }
    }
  }

  @DisplayName("two processes with endless queues share the pace evenly, whatever the length of their queues")
  @Test
  void lanesTakeTurns() {
    for (double perSecond : new double[] {7, 1_000}) {
      World fresh = new World();
      List<Pacer> pacers = new ArrayList<>();
      List<List<Caller>> calls = new ArrayList<>();
      for (int n : new int[] {2_000, 20_000}) {
        Cursor distant = new DistantCursor(fresh.cursor, fresh.time, 2_000_000);
        Pacer pacer = fresh.builder().cursor(distant).defaultPace(Pace.perSecond(perSecond)).maxWait(Duration.ofHours(10)).build();
        pacers.add(pacer);
        calls.add(fresh.calls(pacer, n));
      }
      fresh.pass(Duration.ofSeconds(2));
      int one = World.times(calls.get(0)).size();
      int two = World.times(calls.get(1)).size();
      assertThat(Math.abs(one - two)).isLessThanOrEqualTo((int) Math.max(2, perSecond / 5));
      assertThat(one + two).isGreaterThanOrEqualTo((int) (2 * perSecond * 0.95));
      pacers.forEach(Pacer::close);
    }
  }
}
