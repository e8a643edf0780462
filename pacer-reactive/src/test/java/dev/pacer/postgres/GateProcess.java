package dev.pacer.postgres;

import dev.pacer.Backoff;
import dev.pacer.Call;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * An operating-system process with a pacer of its own, that does as it is told line by line. Both sides are here. Times
 * are {@code System.nanoTime()}, which on Linux all processes of a machine share.
 */
final class GateProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader answers;

  private GateProcess(Process process) {
    this.process = process;
    this.answers = process.inputReader(StandardCharsets.UTF_8);
  }

  static GateProcess start(String url, String key, int perSecond) {
    String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    try {
      return new GateProcess(new ProcessBuilder(
              java, "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", classPath, GateProcess.class.getName(), url, key, "" + perSecond)
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns once it has a warm pacer. */
  GateProcess ready() {
    answer("ready");
    return this;
  }

  /** Makes it reserve so many calls at once. */
  void go(int calls) {
    say("go " + calls);
    answer("gone");
  }

  /** Makes it hear a 429, to a call that it sent last; returns when that was. */
  long stop(Duration retryAfter) {
    say("stop " + retryAfter.toMillis());
    return answer("stopped").get(0);
  }

  /** Makes it hear a 429 without a figure at that time, to a call that it sent last. */
  void stopAt(long nanoTime) {
    say("stopAt " + nanoTime);
  }

  void stoppedAt() {
    answer("stopped");
  }

  /** When it let calls go, so far. */
  List<Long> sent() {
    say("report");
    return answer("sent");
  }

  private void say(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<Long> answer(String name) {
    try {
      String line = answers.readLine();
      if (line == null || !line.startsWith(name)) {
        throw new AssertionError("expected " + name + ", was " + line);
      }
      String[] words = line.split(" ");
      return List.of(words).subList(1, words.length).stream().map(Long::valueOf).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  public static void main(String[] args) throws IOException {
    Pacer pacer = Pacer.builder().fallback(Cursors.PATIENT)
        .cursor(PostgresCursor.builder().url(args[0]).timeLimit(Duration.ofSeconds(10)).build())
        .backoff(Backoff.DEFAULT.jitter(Duration.ZERO).widening(0, 20, true))
        .defaultPace(Pace.perSecond(Integer.parseInt(args[2])))
        .build();
    String key = args[1];
    for (int i = 0; i < 10; i++) {
      pacer.reserve("warm-up-" + ProcessHandle.current().pid() + i).block();
    }
    System.out.println("ready");
    Queue<Long> sent = new ConcurrentLinkedQueue<>();
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      String[] words = line.split(" ");
      switch (words[0]) {
        case "go" -> {
          for (int i = 0; i < Integer.parseInt(words[1]); i++) {
            pacer.reserve(key, Call.ONE).subscribe(waited -> {
              long now = System.nanoTime();
              if (pacer.sending(key) != null) {
                sent.add(now);
              }
            }, refused -> {});
          }
          System.out.println("gone");
        }
        case "stop" -> {
          long now = System.nanoTime();
          pacer.coolDown(pacer.sending(key), Duration.ofMillis(Long.parseLong(words[1])));
          System.out.println("stopped " + now);
        }
        case "stopAt" -> {
          var call = pacer.sending(key);
          while (System.nanoTime() - Long.parseLong(words[1]) < 0) {
            Thread.onSpinWait();
          }
          pacer.coolDown(call, null);
          System.out.println("stopped");
        }
        default -> {
          StringBuilder report = new StringBuilder("sent");
          sent.forEach(at -> report.append(' ').append(at));
          System.out.println(report);
        }
      }
    }
  }
}
