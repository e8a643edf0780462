package dev.pacer.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import reactor.core.CoreSubscriber;

/**
 * What it costs to let calls wait: pacer's queue and timer per key beside a timer per call. Prints two tables in
 * Markdown. Needs no database.
 *
 * <p>{@code java -Xmx4g -cp benchmarks/target/benchmarks.jar dev.pacer.benchmarks.Timers --help}
 */
@Command(name = "Timers", mixinStandardHelpOptions = true, description = "What calls cost while they wait.")
public final class Timers implements Callable<Integer> {

  /** So far apart that hardly any comes due while the waiting ones are looked at. */
  private static final Duration FAR_APART = Duration.ofMillis(100);

  @Option(names = "--rounds", defaultValue = "5", description = "Rounds. ${DEFAULT-VALUE}")
  private int rounds;

  @Option(names = "--calls", split = ",", defaultValue = "100000,1000000", description = "That wait. ${DEFAULT-VALUE}")
  private int[] calls = {};

  @Option(names = "--rate", split = ",", defaultValue = "1000,20000", description = "Due per second. ${DEFAULT-VALUE}")
  private int[] rates = {};

  @Option(names = "--seconds", defaultValue = "5", description = "For how long calls come due. ${DEFAULT-VALUE}")
  private int seconds;

  @Mixin private final Results results = new Results();

  private Timers() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Timers()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    Database.quieten();
    Map<String, Clockwork.Maker> all = Clockwork.pacers();
    all.putAll(Clockwork.timersPerCall());
    Map<String, Clockwork.Maker> some = new LinkedHashMap<>(all);
    some.keySet().removeIf(name -> name.contains("000 keys")); // whose moments would all be the same ones
    Map<String, List<Waited>> waited = new LinkedHashMap<>();
    Map<String, List<Due>> due = new LinkedHashMap<>();
    for (int round = 0; round <= rounds; round++) {
      if (round == 1) { // the first one was for the JVM to warm up
        waited.clear();
        due.clear();
      }
      for (int n : calls) {
        double own = Waited.of(new Clockwork.Never(), n).bytes();
        all.forEach((name, maker) ->
            row(waited, name, "%,d calls", n).add(Waited.of(maker.make(FAR_APART, late -> {}), n).beyond(own)));
      }
      for (int rate : rates) {
        for (Map.Entry<String, Clockwork.Maker> one : some.entrySet()) {
          row(due, one.getKey(), "%,d due per second", rate).add(Due.of(one.getValue(), rate, seconds));
        }
      }
    }
    results.add(Goals.ofWaiting(sheet("timers-waiting", "What calls cost while they wait", waited(), waited)));
    results.add(sheet("timers-due", "How late a call is that waited", due(), due));
    return 0;
  }

  private static <T> List<T> row(Map<String, List<T>> table, String name, String number, int n) {
    String row = String.format(Locale.ROOT, "%s, " + number, name, n);
    return table.computeIfAbsent(row, rounds -> new ArrayList<>());
  }

  private <T> Sheet sheet(
      String name, String title, Map<String, ToDoubleFunction<T>> columns, Map<String, List<T>> table) {
    Map<String, String> conditions = Conditions.here();
    conditions.put("rounds", String.valueOf(rounds));
    List<Sheet.Row> rows = new ArrayList<>();
    table.forEach((row, turns) -> rows.add(Sheet.Row.of(row, turns, columns)));
    return new Sheet(name, title, conditions, List.copyOf(columns.keySet()), rows, List.of());
  }

  private static Map<String, ToDoubleFunction<Waited>> waited() {
    Map<String, ToDoubleFunction<Waited>> columns = new LinkedHashMap<>();
    columns.put("bytes a call", Waited::bytes);
    columns.put("subscribe all, ms", Waited::subscribeMillis);
    columns.put("cancel all, ms", Waited::cancelMillis);
    columns.put("bytes a call afterwards", Waited::keptBytes);
    columns.put("threads", Waited::threads);
    return columns;
  }

  private static Map<String, ToDoubleFunction<Due>> due() {
    Map<String, ToDoubleFunction<Due>> columns = new LinkedHashMap<>();
    columns.put("late p50 ms", turn -> turn.lateMillis(50));
    columns.put("late p99 ms", turn -> turn.lateMillis(99));
    columns.put("late p99.9 ms", turn -> turn.lateMillis(99.9));
    columns.put("CPU µs a call", Due::cpuMicros);
    return columns;
  }

  /**
   * Many calls that waited, and were then all cancelled.
   *
   * @param bytes of heap per call
   * @param keptBytes of heap per call when all had been cancelled, and the clockwork was still there
   * @param threads more than before
   */
  private record Waited(double bytes, double subscribeMillis, double cancelMillis, double keptBytes, int threads) {

    static Waited of(Clockwork clockwork, int calls) {
      try (clockwork) {
        Caller[] callers = new Caller[calls];
        long before = heap();
        int threads = Throughput.liveThreads();
        long start = System.nanoTime();
        for (int n = 0; n < calls; n++) {
          callers[n] = new Caller(clockwork, n, null);
          clockwork.call(n).subscribe(callers[n]);
        }
        long subscribed = System.nanoTime();
        long waiting = heap();
        threads = Throughput.liveThreads() - threads;
        long cancel = System.nanoTime();
        for (Caller caller : callers) {
          caller.cancel();
        }
        clockwork.awaitGone(calls - gone(callers));
        long cancelled = System.nanoTime();
        Arrays.fill(callers, null);
        return new Waited(
            (double) (waiting - before) / calls,
            (subscribed - start) / 1e6,
            (cancelled - cancel) / 1e6,
            (double) (heap() - before) / calls,
            threads);
      }
    }

    /** Those whose moment had come already. */
    private static int gone(Caller[] callers) {
      return (int) Arrays.stream(callers).filter(caller -> caller.wentOn).count();
    }

    Waited beyond(double own) {
      return new Waited(bytes - own, subscribeMillis, cancelMillis, keptBytes, threads);
    }

    private static long heap() {
      System.gc();
      System.gc();
      return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
  }

  /**
   * Many calls that came due.
   *
   * @param cpuMicros of the whole process per call, subscribing included
   */
  private record Due(Histogram late, double cpuMicros) {

    static Due of(Clockwork.Maker maker, int rate, int seconds) throws InterruptedException {
      int calls = rate * seconds;
      Histogram late = new ConcurrentHistogram(1_000, Duration.ofMinutes(1).toNanos(), 3);
      CountDownLatch done = new CountDownLatch(calls);
      try (Clockwork clockwork =
          maker.make(Duration.ofSeconds(1).dividedBy(rate), nanos -> late.recordValue(Math.max(0, nanos)))) {
        long cpu = cpu();
        for (int n = 0; n < calls; n++) {
          clockwork.call(n).subscribe(new Caller(clockwork, n, done));
        }
        done.await();
        return new Due(late, (cpu() - cpu) / 1e3 / calls);
      }
    }

    double lateMillis(double percentile) {
      return late.getValueAtPercentile(percentile) / 1e6;
    }

    private static long cpu() {
      return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
  }

  /** A caller with as little of its own as can be. */
  private static final class Caller implements CoreSubscriber<Object> {

    private final Clockwork clockwork;
    private final int n;
    private final @Nullable CountDownLatch done;
    private @Nullable Subscription subscription;
    private volatile boolean wentOn;

    Caller(Clockwork clockwork, int n, @Nullable CountDownLatch done) {
      this.clockwork = clockwork;
      this.n = n;
      this.done = done;
    }

    void cancel() {
      if (subscription != null) {
        subscription.cancel();
      }
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      this.subscription = subscription;
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Object value) {}

    @Override
    public void onError(Throwable error) {
      throw new IllegalStateException("call " + n, error);
    }

    @Override
    public void onComplete() {
      wentOn = true;
      clockwork.wentOn(n);
      if (done != null) {
        done.countDown();
      }
    }
  }
}
