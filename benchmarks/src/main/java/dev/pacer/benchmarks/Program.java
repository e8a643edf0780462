package dev.pacer.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A measuring program, run in a JVM of its own, so that none warms up or starves another.
 *
 * @param name its class in this package
 * @param arguments what it is told, besides where the results go; what begins with -X is told to the JVM
 * @param quick what it is told instead to see in a few seconds that it works
 */
record Program(String name, List<String> arguments, List<String> quick) {

  /** None takes as long; one that hangs must not keep the others from their turn. */
  private static final int HOURS_OF_PATIENCE = 1;

  static Program of(String name, String arguments, String quick) {
    return new Program(name, List.of(arguments.split(" ")), List.of(quick.split(" ")));
  }

  Program quickly() {
    return new Program(name, quick, quick);
  }

  /** Whether it ended well. Its output is this process's. */
  boolean run(Path results) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command(results)).inheritIO().start();
    Thread end = new Thread(process::destroy, "ends with us");
    Runtime.getRuntime().addShutdownHook(end);
    try {
      return process.waitFor(HOURS_OF_PATIENCE, TimeUnit.HOURS) && process.exitValue() == 0;
    } finally {
      process.destroyForcibly();
      Runtime.getRuntime().removeShutdownHook(end);
    }
  }

  private List<String> command(Path results) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    String database = System.getProperty(Database.PROPERTY, "");
    if (!database.isEmpty()) {
      command.add("-D" + Database.PROPERTY + "=" + database);
    }
    arguments.stream().filter(Program::isForJvm).forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(getClass().getPackageName() + "." + name);
    arguments.stream().filter(one -> !isForJvm(one)).forEach(command::add);
    command.addAll(List.of("--results", results.toString()));
    return command;
  }

  private static boolean isForJvm(String argument) {
    return argument.startsWith("-X");
  }

  @Override
  public String toString() {
    return name + " " + String.join(" ", arguments);
  }
}
