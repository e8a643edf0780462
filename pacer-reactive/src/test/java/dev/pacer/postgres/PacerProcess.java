package dev.pacer.postgres;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Flux;

/**
 * An operating-system process with a pacer of its own. Both sides are here: {@link #main} is what the process does, the
 * rest is how a test starts it and talks with it. Times are {@code System.nanoTime()}, which on Linux all processes of
 * a machine share.
 */
final class PacerProcess implements AutoCloseable {
    private static final String UNSHARED = "unshared";

    private final Process process;
    private final BufferedReader answers;

    private PacerProcess(Process process) {
        this.process = process;
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts it; it reserves nothing of the key before {@link #go}. */
    static PacerProcess start(String url, String key, int perSecond, int calls) {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-XX:TieredStopAtLevel=1",
                "-cp", classPath, PacerProcess.class.getName(), url, key, "" + perSecond, "" + calls);
        try {
            return new PacerProcess(
                    new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same without a database: its ceiling is its own. */
    static PacerProcess startUnshared(String key, int perSecond, int calls) {
        return start(UNSHARED, key, perSecond, calls);
    }

    /** Returns once it has a pacer that is warm. */
    PacerProcess ready() {
        expect("ready");
        return this;
    }

    /** Makes it subscribe to all its calls at that time. */
    void go(long nanoTime) {
        try {
            process.getOutputStream().write((nanoTime + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns what it did, once it has done it all. */
    Report report() {
        List<Long> released = numbers("released");
        List<Long> places = numbers("places");
        List<Long> lateness = numbers("lateness");
        return new Report(released, places, lateness.get(0));
    }

    /** Returns once it has ended by itself. */
    boolean endsWithin(Duration patience) throws InterruptedException {
        return process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private void expect(String line) {
        String next = readLine();
        if (!line.equals(next)) {
            throw new AssertionError("expected " + line + ", was " + next);
        }
    }

    private List<Long> numbers(String name) {
        String[] words = readLine().split(" ");
        if (!words[0].equals(name)) {
            throw new AssertionError("expected " + name + ", was " + words[0]);
        }
        return List.of(words).subList(1, words.length).stream().map(Long::valueOf).toList();
    }

    private String readLine() {
        try {
            String line = answers.readLine();
            if (line == null) {
                throw new AssertionError("the process has ended");
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * What a process did.
     *
     * @param released when its calls were let through
     * @param places where its slots lie, in the cursor's time; none if unshared
     * @param lateness how far behind its slot's place a call may have been let through
     */
    record Report(List<Long> released, List<Long> places, long lateness) {}

    public static void main(String[] args) throws IOException {
        Tally tally = new Tally();
        Pacer.Builder builder = Pacer.builder().fallback(Cursors.PATIENT).defaultPace(Pace.perSecond(Integer.parseInt(args[2]))).listener(tally);
        RecordingCursor cursor = null;
        if (!args[0].equals(UNSHARED)) {
            cursor = new RecordingCursor(
                    PostgresCursor.builder().url(args[0]).timeLimit(Duration.ofSeconds(10)).build());
            builder.cursor(cursor);
        }
        Pacer pacer = builder.build();
        for (int i = 0; i < 10; i++) {
            pacer.reserve("warm-up-" + ProcessHandle.current().pid() + i).block();
        }
        long warmUps = cursor == null ? 0 : cursor.places().size();
        tally.latestNanos.set(0);
        tally.slowestNanos.set(0);
        System.out.println("ready");
        String start = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
        if (start == null) {
            return;
        }
        int calls = Integer.parseInt(args[3]);
        List<Long> released = new ArrayList<>();
        AtomicLong sinceStart = new AtomicLong(Long.parseLong(start) - System.nanoTime());
        Flux.range(0, calls)
                .delaySubscription(Duration.ofNanos(Math.max(0, sinceStart.get())))
                .flatMap(i -> pacer.reserve(args[1]).map(waited -> System.nanoTime()), calls)
                .doOnNext(released::add)
                .blockLast();
        print("released", released);
        print("places", cursor == null ? List.of() : cursor.places().stream().skip(warmUps).toList());
        print("lateness", List.of(tally.latestNanos.get() + tally.slowestNanos.get()));
        // no close: whoever forgets it must not hang
    }

    private static void print(String name, List<Long> numbers) {
        StringBuilder line = new StringBuilder(name);
        numbers.forEach(number -> line.append(' ').append(number));
        System.out.println(line);
    }
}
