package dev.pacer.benchmarks;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.PacerListener;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/**
 * When calls went on, by {@link System#nanoTime}, which the processes of one Linux machine have in common.
 *
 * @param subscribed when the first call was made
 * @param times of each call, stamped by its caller
 * @param late by how much each was behind its slot, as the pacer says, in nanoseconds
 * @param degraded how many times the pacer lost the cursor since the job before
 */
record Departures(long subscribed, List<Long> times, List<Long> late, int degraded) {

  /**
   * Calls that all come at once and wait; those that still wait at the end leave.
   *
   * @param start when they come, as {@link System#nanoTime}
   */
  record Job(String key, double perSecond, int calls, long start, long end) {

    String toLine() {
      return key + " " + perSecond + " " + calls + " " + start + " " + end;
    }

    static Job ofLine(String line) {
      String[] part = line.split(" ", -1);
      return new Job(
          part[0],
          Double.parseDouble(part[1]),
          Integer.parseInt(part[2]),
          Long.parseLong(part[3]),
          Long.parseLong(part[4]));
    }
  }

  /** Has its pacer's figures. One job at a time. */
  static final class Watch implements PacerListener {

    private final Queue<Long> late = new ConcurrentLinkedQueue<>();
    private final AtomicInteger degraded = new AtomicInteger();

    @Override
    public void released(String key, Duration waited, Duration behind) {
      late.add(behind.toNanos());
    }

    @Override
    public void degraded(@Nullable String key, Throwable why) {
      degraded.incrementAndGet();
    }
  }

  static Departures of(Job job, Pacer pacer, Watch watch) {
    pacer.pace(job.key(), Pace.perSecond(job.perSecond()));
    watch.late.clear();
    Queue<Long> times = new ConcurrentLinkedQueue<>();
    await(job.start());
    long subscribed = System.nanoTime();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Disposable calls =
        Flux.range(0, job.calls())
            .flatMap(call -> pacer.reserve(job.key()).doOnNext(waited -> times.add(System.nanoTime())), job.calls())
            .subscribe(waited -> {}, failure::set);
    await(job.end());
    calls.dispose();
    if (failure.get() != null) {
      throw new IllegalStateException(job.key(), failure.get());
    }
    return new Departures(subscribed, times.stream().sorted().toList(), List.copyOf(watch.late), watch.degraded.getAndSet(0));
  }

  private static void await(long moment) {
    for (long left = moment - System.nanoTime(); left > 0; left = moment - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  static int degraded(List<Departures> all) {
    return all.stream().mapToInt(Departures::degraded).sum();
  }

  String toLine() {
    return subscribed + "|" + text(times) + "|" + text(late) + "|" + degraded;
  }

  static Departures ofLine(String line) {
    String[] part = line.split("\\|", -1);
    return new Departures(Long.parseLong(part[0]), numbers(part[1]), numbers(part[2]), Integer.parseInt(part[3]));
  }

  private static String text(List<Long> numbers) {
    return numbers.stream().map(String::valueOf).collect(Collectors.joining(" "));
  }

  private static List<Long> numbers(String text) {
    return text.isEmpty() ? List.of() : Arrays.stream(text.split(" ", -1)).map(Long::valueOf).toList();
  }
}
