package dev.pacer.postgres;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** A {@link FaultMember} in an operating-system process of its own, whose diary is read here line by line. */
final class FaultProcess implements AutoCloseable {
  private final Process process;
  private final FaultDiary diary = new FaultDiary(line -> {});
  private final Thread reader = new Thread(this::read, "diary");

  private FaultProcess(Process process) {
    this.process = process;
    reader.setDaemon(true);
    reader.start();
  }

  static FaultProcess start(String url) {
    return start(url, UnaryOperator.identity());
  }

  /** @param around what makes another command of its command, which must become that process */
  static FaultProcess start(String url, UnaryOperator<List<String>> around) {
    String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> command =
        List.of(java, "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", classPath, FaultProcess.class.getName(), url);
    try {
      return new FaultProcess(
          new ProcessBuilder(around.apply(command))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  FaultDiary diary() {
    return diary;
  }

  void send(String signal) {
    Signals.send(signal, process.pid());
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      lines.lines().forEach(diary::read);
    } catch (IOException | UncheckedIOException ended) {
      // it was killed
    }
  }

  /** Ends it if it has not ended, and returns once its last line has been read. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      reader.join(Duration.ofSeconds(10).toMillis());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  public static void main(String[] args) throws IOException {
    FaultDiary diary = new FaultDiary(System.out::println);
    new FaultMember(args[0], UnaryOperator.identity(), FaultMember.fallback(), diary).begin();
    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine(); // until its parent ends
  }
}
