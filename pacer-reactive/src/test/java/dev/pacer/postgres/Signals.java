package dev.pacer.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** What can be done to a process from outside. */
final class Signals {
  private Signals() {}

  static void send(String signal, long pid) {
    run(List.of("kill", "-" + signal, "" + pid));
  }

  /** Runs a command of the system to its end, whatever comes of it. */
  static int run(List<String> command) {
    try {
      return new ProcessBuilder(command)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
