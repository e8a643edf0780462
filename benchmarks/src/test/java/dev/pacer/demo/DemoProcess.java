package dev.pacer.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The demo as users run it: from the jar, in a directory of its own. */
final class DemoProcess {

    private static final Path JAR = Path.of("target", "benchmarks.jar").toAbsolutePath();
    private static final Pattern PIDS = Pattern.compile("pids? ([0-9, ]+)");

    private final Process process;
    private final BufferedReader output;
    private final List<String> lines = new ArrayList<>();

    private DemoProcess(Process process) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
    }

    static DemoProcess start(Path directory, String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", JAR.toString(), "dev.pacer.demo.Demo"));
        command.addAll(Arrays.asList(options));
        return new DemoProcess(
                new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start());
    }

    /** Reads on until a line is as wanted, or there are none any more. */
    DemoProcess readUntil(Predicate<String> wanted) {
        try {
            String line;
            do {
                line = output.readLine();
                if (line != null) {
                    lines.add(line);
                }
            } while (line != null && !wanted.test(line));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor();
    }

    int exitCode() throws InterruptedException {
        readUntil(line -> false);
        return process.waitFor();
    }

    String output() {
        return String.join("\n", lines);
    }

    /** The processes that it said it started: its database and its workers. */
    List<Long> children() {
        return lines.stream()
                .flatMap(line -> PIDS.matcher(line).results())
                .flatMap(match -> Stream.of(match.group(1).split(", ")))
                .map(pid -> Long.valueOf(pid.trim()))
                .toList();
    }

    /** Whether it still does anything: what has ended, and waits for somebody to notice, has no command any more. */
    static boolean runs(long pid) {
        return ProcessHandle.of(pid).flatMap(process -> process.info().command()).isPresent();
    }
}
