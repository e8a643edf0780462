package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Many requests at once. */
class CourseCrowdTest extends CourseWorld {

  private static final int FEW = 3_000;
  private static final int MANY = 16 * FEW;
  private static final int CROWD = 20_000;

  /** What a crowd at a shut gate costs: nanoseconds to come, and to go again. */
  private record Cost(long coming, long going) {}

  private final Pacer real = Pacer.builder().defaultPace(Pace.perSecond(1_000_000)).build();
  private final HttpPacing engine = HttpPacing.builder(real).build();

  /** Shuts the gate for a minute; the tests that use it are over by then. */
  private Mono<Response> atAShutGate() {
    real.coolDown(KEY, Duration.ofSeconds(60));
    return Mono.defer(
        () -> {
          Course<Response> course = new Course<>(engine, new Scripted("GET"), RequestPacing.NONE);
          Request request = new Request("GET", "https://" + KEY + "/x", headers);
          return course.run(course.sendAfter(course.admit(request), Mono.never()));
        });
  }

  @AfterEach
  void close() {
    real.close();
  }

  private Cost cost(int requests) {
    Mono<Response> request = atAShutGate();
    List<Disposable> waiting = new ArrayList<>(requests);
    long start = cpuTime();
    for (int i = 0; i < requests; i++) {
      waiting.add(request.subscribe());
    }
    long here = cpuTime();
    waiting.forEach(Disposable::dispose);
    return new Cost(here - start, cpuTime() - here);
  }

  /** Of this thread, which other processes do not disturb. */
  private static long cpuTime() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  @Test
  void comingAndGoingTakesTimeInProportionToTheCrowd() {
    List<Cost> few = IntStream.range(0, 8).mapToObj(i -> cost(FEW)).toList();
    List<Cost> many = IntStream.range(0, 2).mapToObj(i -> cost(MANY)).toList();
    // in proportion it is 16 times, by the square it were 256 times; the caches of a busy machine make it more
    assertThat((double) quickest(many, true) / quickest(few, true)).isLessThan(80);
    assertThat((double) quickest(many, false) / quickest(few, false)).isLessThan(80);
  }

  private static long quickest(List<Cost> costs, boolean coming) {
    return costs.stream().mapToLong(cost -> coming ? cost.coming() : cost.going()).min().orElseThrow();
  }

  @Test
  void aWaitingRequestCostsAFewObjectsAndLeavesNone() {
    Mono<Response> request = atAShutGate();
    List<Disposable> waiting = new ArrayList<>(CROWD);
    long before = used();
    for (int i = 0; i < CROWD; i++) {
      waiting.add(request.subscribe());
    }
    long each = (used() - before) / CROWD;
    assertThat(each).isLessThan(4_000);
    waiting.forEach(Disposable::dispose);
    assertThat((used() - before) / CROWD).as("bytes of each that stay when it has gone").isLessThan(each / 4);
    assertThat(waiting).hasSize(CROWD);
  }

  private static long used() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private int depth() {
    return Thread.currentThread().getStackTrace().length;
  }

  @Test
  void theStackIsNoDeeperForTheLastOfTheCrowdThanForTheFirst() {
    List<Integer> depths = new ArrayList<>();
    script = n -> {
      depths.add(depth());
      return Mono.just(ok());
    };
    pacer.pace(KEY, Pace.perSecond(1_000_000));
    pacer.coolDown(KEY, Duration.ofSeconds(60));
    for (int i = 0; i < CROWD; i++) {
      send();
    }
    pass(Duration.ofSeconds(70));
    assertThat(seen).hasSize(CROWD).containsOnly(200);
    assertThat(Collections.max(depths)).isLessThan(300);
  }

  @Test
  void norForOneThatIsRefusedAThousandTimes() {
    List<Integer> depths = new ArrayList<>();
    script = n -> {
      depths.add(depth());
      return Mono.just(n <= 1_000 ? status(429, "Retry-After", "1") : ok());
    };
    send(b -> b.attempts(2_000).maxWait(Duration.ofHours(1)), "GET", RequestPacing.NONE);
    pass(Duration.ofHours(1));
    assertThat(seen).containsExactly(200);
    assertThat(depths).hasSize(1_001);
    assertThat(Collections.max(depths)).isLessThan(300);
  }

  private Flux<Integer> slowOnesThenQuickOnes() {
    pacer.pace("quick", Pace.perSecond(1_000_000));
    return Flux.range(0, 600);
  }

  private static String key(int item) {
    return item < 300 ? KEY : "quick";
  }

  private Mono<Response> request(int item) {
    return request(b -> b.maxWait(Duration.ofHours(1)), "GET", RequestPacing.key(key(item)));
  }

  private int quickOnesServed() {
    pass(Duration.ofSeconds(10));
    return recorder.slots("quick");
  }

  @Test
  void aSlowKeyThatFillsAFlatMapStarvesTheOthers() {
    slowOnesThenQuickOnes().flatMap(this::request, 256).subscribe();
    assertThat(quickOnesServed()).isZero();
    pass(Duration.ofMinutes(10));
    assertThat(recorder.slots("quick")).isEqualTo(300);
  }

  @Test
  void groupedByKeyNobodyStarves() {
    slowOnesThenQuickOnes()
        .groupBy(CourseCrowdTest::key, Integer.MAX_VALUE)
        .flatMap(group -> group.flatMap(this::request, 256), Integer.MAX_VALUE)
        .subscribe();
    assertThat(quickOnesServed()).isEqualTo(300);
    assertThat(recorder.slots(KEY)).isBetween(10, 11);
    pass(Duration.ofMinutes(10));
    assertThat(recorder.slots(KEY)).isEqualTo(300);
  }
}
