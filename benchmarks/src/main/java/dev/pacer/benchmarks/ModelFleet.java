package dev.pacer.benchmarks;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.PacerListener;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Many processes, with the pacers that are really used, at one {@link ModelDatabase}. Played once. */
final class ModelFleet {

  /** Nobody is refused: it is the waiting that is to be seen. */
  private static final Duration BUDGET = Duration.ofDays(1);

  private static final Duration COOLDOWN = Duration.ofMinutes(20);
  private static final String KEY = "key-";

  private final Scene scene;
  private final VirtualTime time = new VirtualTime();
  private final Random random;
  private final ModelDatabase database;
  private final List<Member> members;
  private final Histogram waits = new Histogram(3);
  private long firstKey;
  private long firstKeyLast;
  private int degraded;

  /**
   * What is played.
   *
   * @param perSecond the pace of all keys together
   * @param callers of each process, for each key: they come back at once
   * @param notifies whether processes are told of cooldowns, or find out at their next claim
   */
  record Scene(int processes, int keys, int perSecond, int callers, boolean notifies, long seed) {

    private static final double MOST_DISPATCHES = 1_500_000;

    Scene another(boolean told, long number) {
      return new Scene(processes, keys, perSecond, callers, told, number);
    }

    /** As long as it takes, about, until every process had its turn with a key. */
    double roundSeconds() {
      double pace = (double) perSecond / keys;
      return processes * Math.min(callers, Math.max(1, pace / 10)) / pace;
    }

    double warmUpSeconds() {
      return 2 * roundSeconds() + 0.2;
    }

    /** Fifty rounds or a second; where that is too much to be played, three rounds at least. */
    double measuredSeconds() {
      double enough = Math.max(1, 50 * roundSeconds());
      return Math.min(enough, Math.max(3 * roundSeconds(), MOST_DISPATCHES / perSecond));
    }

    /** Few among many, so that what they take is not missed; none beside a single one. */
    int guests() {
      return processes == 1 ? 0 : 1 + processes / 100;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%,d processes, %,d/s%s, %,d callers each",
          processes,
          perSecond,
          keys == 1 ? "" : String.format(Locale.ROOT, " over %,d keys", keys),
          callers * keys);
    }
  }

  /**
   * What was found.
   *
   * @param statements per second at the database
   * @param steps per second and key: rows touched
   * @param departures per second
   * @param shares how many calls of each process went on
   * @param waits of the guests, in nanoseconds
   * @param degraded how many times a process had no answer from the database in time
   */
  record Found(
      double statements, double steps, double departures, Shares shares, Histogram waits, int degraded) {}

  /**
   * How a fleet stopped.
   *
   * @param nanos from the refusal's arrival at one process to the last departure of any
   * @param departures after the refusal
   */
  record Stopped(long nanos, long departures) {}

  private static final class Member {

    final Pacer pacer;
    long departures;

    Member(Pacer pacer) {
      this.pacer = pacer;
    }
  }

  ModelFleet(Scene scene) {
    this.scene = scene;
    this.random = new Random(scene.seed());
    this.database = new ModelDatabase(time, random, scene.notifies());
    this.members = Stream.generate(() -> new Member(pacer())).limit(scene.processes()).toList();
    members.forEach(this::start);
    Stream.generate(this::pacer).limit(scene.guests()).forEach(this::visit);
  }

  private Pacer pacer() {
    return Pacer.builder()
        .cursor(database.connect())
        .defaultPace(Pace.perSecond((double) scene.perSecond() / scene.keys()))
        .maxWait(BUDGET)
        .scheduler(time)
        .listener(
            new PacerListener() {
              @Override
              public void degraded(@Nullable String key, Throwable why) {
                degraded++;
              }
            })
        .build();
  }

  private void start(Member member) {
    for (int key = 0; key < scene.keys(); key++) {
      boolean first = key == 0;
      Mono<Duration> call = member.pacer.reserve(KEY + key).doOnNext(waited -> departed(member, first));
      for (int caller = 0; caller < scene.callers(); caller++) {
        call.repeat().subscribe();
      }
    }
  }

  private void departed(Member member, boolean first) {
    member.departures++;
    if (first) {
      firstKey++;
      firstKeyLast = time.nanos();
    }
  }

  /** A single caller who thinks before each call. */
  private void visit(Pacer guest) {
    Mono<Duration> call = guest.reserve(KEY + 0).doOnNext(waited -> waits.recordValue(waited.toNanos()));
    Mono.defer(() -> Mono.delay(think(), time)).then(call).repeat().subscribe();
  }

  private Duration think() {
    double mean = scene.measuredSeconds() / 20;
    return nanos(-Math.log(1 - random.nextDouble()) * mean);
  }

  private static Duration nanos(double seconds) {
    return Duration.ofNanos((long) (seconds * 1e9));
  }

  Found play() {
    time.pass(nanos(scene.warmUpSeconds()).toNanos());
    List<Long> before = departures();
    long statements = database.statements();
    long steps = database.steps();
    waits.reset();
    double seconds = scene.measuredSeconds();
    time.pass(nanos(seconds).toNanos());
    List<Long> after = departures();
    Shares shares = new Shares(IntStream.range(0, after.size()).mapToObj(i -> after.get(i) - before.get(i)).toList());
    return new Found(
        (database.statements() - statements) / seconds,
        (database.steps() - steps) / seconds / scene.keys(),
        shares.sum() / seconds,
        shares,
        waits.copy(),
        degraded);
  }

  private List<Long> departures() {
    return members.stream().map(member -> member.departures).toList();
  }

  /** One process hears from the vendor that it is to stop, on the first key. */
  Stopped stop() {
    time.pass(nanos(0.2 + (1 + random.nextDouble()) * scene.roundSeconds()).toNanos());
    Pacer refused = members.get(random.nextInt(members.size())).pacer;
    refused.coolDown(KEY + 0, COOLDOWN);
    long since = time.nanos();
    long departures = firstKey;
    firstKeyLast = since;
    time.pass(COOLDOWN.toNanos() - 1);
    return new Stopped(firstKeyLast - since, firstKey - departures);
  }
}
