package dev.pacer.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Several {@link Departing} processes, which all get the same jobs at the same time. */
final class Crew implements AutoCloseable {

  private static final int PATIENCE_SECONDS = 2;

  private final List<Process> processes = new ArrayList<>();
  private final List<PrintWriter> orders = new ArrayList<>();
  private final List<BufferedReader> answers = new ArrayList<>();

  Crew(int size, String url) throws IOException {
    for (int i = 0; i < size; i++) {
      Process process = new ProcessBuilder(command()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      processes.add(process);
      orders.add(new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), /* autoFlush= */ true));
      answers.add(process.inputReader(StandardCharsets.UTF_8));
    }
    orders.forEach(order -> order.println(url));
    if (!hear().stream().allMatch(Departing.READY::equals)) {
      throw new IOException("a process is not ready");
    }
  }

  /** Small JVMs, so that those of one machine keep out of each other's way. */
  private static List<String> command() {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Stream<String> netty = // warns of it, and knows how to be told not to
        Runtime.version().feature() < 24
            ? Stream.of()
            : Stream.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");
    Stream<String> small = Stream.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    Stream<String> program = Stream.of("-cp", System.getProperty("java.class.path"), Departing.class.getName());
    return Stream.of(Stream.of(java), netty, small, program).flatMap(part -> part).toList();
  }

  /** The departures of each process. */
  List<Departures> play(Departures.Job job) throws IOException {
    orders.forEach(order -> order.println(job.toLine()));
    return hear().stream().map(Departures::ofLine).toList();
  }

  private List<String> hear() throws IOException {
    List<String> lines = new ArrayList<>();
    for (BufferedReader answer : answers) {
      String line = answer.readLine();
      if (line == null) {
        throw new IOException("process " + (lines.size() + 1) + " ended before it had answered");
      }
      lines.add(line);
    }
    return lines;
  }

  @Override
  public void close() {
    orders.forEach(PrintWriter::close);
    for (Process process : processes) {
      process.onExit().completeOnTimeout(process, PATIENCE_SECONDS, TimeUnit.SECONDS).join();
      process.destroyForcibly().onExit().join();
    }
  }
}
