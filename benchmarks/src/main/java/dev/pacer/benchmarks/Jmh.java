package dev.pacer.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * One class of JMH benchmarks, with its results in the form of all others. Everything else that JMH can do, its own
 * command line does.
 *
 * <p>{@code java -cp benchmarks/target/benchmarks.jar dev.pacer.benchmarks.Jmh LocalLatency}
 */
@Command(name = "Jmh", mixinStandardHelpOptions = true, description = "One class of JMH benchmarks.")
public final class Jmh implements Callable<Integer> {

  /** What the profiler calls the bytes that an operation allocates. */
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  @Parameters(paramLabel = "CLASS", description = "Such as LocalLatency.")
  private String benchmark = "";

  @Option(names = "--mode", defaultValue = "AverageTime", description = "Of JMH, such as SampleTime. ${DEFAULT-VALUE}")
  private Mode mode = Mode.AverageTime;

  @Option(names = "--quick", description = "To see that it works: one iteration of a tenth of a second.")
  private boolean quick;

  @Option(names = "--param", description = "Of JMH: values of a parameter, such as roundTripMillis=0.")
  private Map<String, String> parameters = new LinkedHashMap<>();

  @Mixin private final Results results = new Results();

  Jmh() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Jmh()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("\\." + benchmark + "\\.")
            .mode(mode)
            .addProfiler(GCProfiler.class)
            .shouldFailOnError(true);
    parameters.forEach((name, values) -> options.param(name, values.split(",")));
    if (quick) {
      TimeValue moment = TimeValue.milliseconds(100);
      options.forks(1).warmupIterations(1).warmupTime(moment).measurementIterations(1).measurementTime(moment);
    }
    Collection<RunResult> runs = new Runner(options.build()).run();
    results.add(sheet(benchmark, runs));
    return 0;
  }

  static Sheet sheet(String benchmark, Collection<RunResult> runs) {
    Map<String, String> conditions = Conditions.here();
    conditions.put("figures", "JMH's mean, with its error of 99.9 %");
    BenchmarkParams settings = runs.iterator().next().getParams();
    conditions.put(
        "rounds",
        settings.getMeasurement().getCount() + " of " + settings.getMeasurement().getTime() + ", forks " + settings.getForks());
    Set<String> columns = new LinkedHashSet<>();
    List<Sheet.Row> rows = new ArrayList<>();
    for (RunResult run : runs) {
      Map<String, Sheet.Figure> figures = figures(run);
      columns.addAll(figures.keySet());
      rows.add(new Sheet.Row(name(run.getParams()), figures));
    }
    String mode = settings.getMode().longLabel().toLowerCase(Locale.ROOT);
    return new Sheet(
        "jmh-" + words(benchmark).replace(' ', '-'),
        "JMH: " + words(benchmark) + " (" + mode + ")",
        conditions,
        List.copyOf(columns),
        rows,
        List.of());
  }

  private static Map<String, Sheet.Figure> figures(RunResult run) {
    Map<String, Sheet.Figure> figures = new LinkedHashMap<>();
    Result<?> time = run.getPrimaryResult();
    figures.put(time.getScoreUnit(), figure(time));
    if (run.getParams().getMode() == Mode.SampleTime) {
      for (double percentile : new double[] {50, 99}) {
        String column = String.format(Locale.ROOT, "p%.0f %s", percentile, time.getScoreUnit());
        figures.put(column, Sheet.Figure.of(time.getStatistics().getPercentile(percentile)));
      }
    }
    run.getSecondaryResults()
        .forEach((name, result) -> {
          if (name.endsWith(ALLOCATED)) {
            figures.put(result.getScoreUnit(), figure(result));
          }
        });
    return figures;
  }

  /** One round alone has no error. */
  private static Sheet.Figure figure(Result<?> result) {
    double score = result.getScore();
    double error = Double.isNaN(result.getScoreError()) ? 0 : result.getScoreError();
    return new Sheet.Figure(score, score - error, score + error);
  }

  private static String name(BenchmarkParams one) {
    String method = one.getBenchmark().substring(one.getBenchmark().lastIndexOf('.') + 1);
    String parameters =
        one.getParamsKeys().stream()
            .map(key -> ", " + words(key) + " " + value(one.getParam(key)))
            .collect(Collectors.joining());
    return words(method) + parameters;
  }

  private static String value(@Nullable String parameter) {
    return parameter == null ? "" : parameter;
  }

  /** A name in Java, to be read. */
  static String words(String name) {
    return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
  }
}
