package dev.pacer.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerResponse;

/** Runs it as users do, in a process of its own, against a server of the test's. */
@Timeout(120)
class FetchIT {

    private static final Path JAR = Path.of("target", "benchmarks.jar").toAbsolutePath();
    private static final long POLL = 5_000_000;

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<Process> started = new ArrayList<>();
    private volatile BiFunction<Integer, HttpServerResponse, Publisher<Void>> script = FetchIT::good;
    private final DisposableServer server = HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .handle((request, response) -> {
                asked.add(request.uri());
                return script.apply(asked.size(), response);
            })
            .bindNow();

    @TempDir
    private Path directory;

    private Path results;

    @BeforeEach
    void name() {
        results = directory.resolve("results.jsonl");
    }

    @AfterEach
    void close() {
        started.forEach(Process::destroyForcibly);
        server.disposeNow();
    }

    private static Publisher<Void> good(int n, HttpServerResponse response) {
        return response.sendString(Mono.just("a page"));
    }

    private List<String> urls(int count) throws IOException {
        List<String> urls = IntStream.range(0, count).mapToObj(n -> "http://127.0.0.1:" + server.port() + "/" + n).toList();
        Files.write(directory.resolve("urls.txt"), urls);
        return urls;
    }

    private Process start(String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", JAR.toString(), "dev.pacer.demo.Fetch", "--urls", "urls.txt", "--out", "results.jsonl"));
        command.addAll(Arrays.asList(options));
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output.txt").toFile())
                .start();
        started.add(process);
        return process;
    }

    private int run(String... options) throws IOException, InterruptedException {
        return start(options).waitFor();
    }

    private String output() throws IOException {
        return Files.readString(directory.resolve("output.txt"));
    }

    private List<Result> recorded() throws IOException {
        return Files.readAllLines(results).stream().map(Result::ofLine).toList();
    }

    private List<Result> recorded(String state) throws IOException {
        return recorded().stream().filter(result -> result.state().name().equals(state)).toList();
    }

    @Test
    void aListIsFetchedOnce() throws Exception {
        List<String> urls = urls(30);

        assertThat(run("--rate", "50")).as(() -> said()).isZero();
        assertThat(recorded("SUCCEEDED")).extracting(Result::url).containsExactlyInAnyOrderElementsOf(urls);
        assertThat(recorded()).allMatch(result -> result.bytes() == 6 && result.status() == 200);
        assertThat(output()).contains("30 URLs, 30 to fetch", "100 %  30/30", "30 succeeded, 0 failed, 0 skipped");

        assertThat(run("--rate", "50")).as(() -> said()).isZero();
        assertThat(asked).hasSize(30);
        assertThat(output()).contains("30 URLs, 0 to fetch");
    }

    @Test
    void whatFailedIsLeftOutTheNextTimeUnlessAskedFor() throws Exception {
        urls(6);
        Files.writeString(directory.resolve("urls.txt"), "\n# not these\nnot a url\n", StandardOpenOption.APPEND);
        script = (n, response) -> n % 2 == 0 ? response.status(404).send() : good(n, response);

        assertThat(run("--rate", "50")).as(() -> said()).isEqualTo(1);
        assertThat(recorded("FAILED")).hasSize(4).extracting(Result::status).contains(404, (Integer) null);
        assertThat(run("--rate", "50")).as(() -> said()).isEqualTo(1);
        assertThat(asked).hasSize(6);
        assertThat(output()).contains("4 failed in earlier runs: --retry-failed tries them again");

        script = FetchIT::good;
        assertThat(run("--rate", "50", "--retry-failed")).as(() -> said()).isEqualTo(1);
        assertThat(asked).as("what is no URL is asked of nobody").hasSize(9);
        assertThat(recorded("SUCCEEDED")).hasSize(6);
    }

    @Test
    void whatWasSkippedIsTriedAgainTheNextTime() throws Exception {
        List<String> urls = urls(100);
        script = (n, response) -> n > 10 ? response.status(429).header("Retry-After", "3600").send() : good(n, response);

        assertThat(run("--rate", "50")).as(() -> said()).isEqualTo(1);
        assertThat(recorded("SKIPPED")).hasSize(90).allMatch(result -> result.retryAfterSeconds() == 3_600);
        assertThat(asked).hasSizeBetween(11, 10 + 16);
        assertThat(output()).contains("rate limited for 1:00:00", "Run the same again");

        asked.clear();
        script = FetchIT::good;
        assertThat(run("--rate", "50")).as(() -> said()).isZero();
        assertThat(asked).hasSize(90);
        assertThat(recorded("SUCCEEDED")).extracting(Result::url).containsExactlyInAnyOrderElementsOf(urls);
    }

    @Test
    void whatWasRecordedBeforeAKillIsNeitherLostNorDoubled() throws Exception {
        List<String> urls = urls(100);
        Process process = start("--rate", "25");
        while (process.isAlive() && (!Files.exists(results) || Files.readAllLines(results).size() < 20)) {
            LockSupport.parkNanos(POLL);
        }
        process.destroyForcibly().waitFor();
        List<String> before = Files.readAllLines(results);
        assertThat(before).as(() -> said()).hasSizeBetween(20, 99);
        Files.writeString(results, "{\"url\":\"" + urls.get(99) + "\",\"state\":\"SUCC", StandardOpenOption.APPEND);

        assertThat(run("--rate", "50")).as(() -> said()).isZero();
        assertThat(Files.readAllLines(results)).hasSize(100).containsSubsequence(before).startsWith(before.get(0));
        assertThat(recorded("SUCCEEDED")).extracting(Result::url).containsExactlyInAnyOrderElementsOf(urls);
        long twice = asked.stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting()))
                .values().stream().filter(times -> times > 1).count();
        assertThat(twice).as("asked for again because they were under way").isLessThanOrEqualTo(16);
    }

    @Test
    void badOptionsAreNamed() throws Exception {
        assertThat(run()).isEqualTo(2);
        assertThat(output()).contains("--urls must be a file that can be read, was urls.txt");
        Path pipe = directory.resolve("urls.txt");
        assumeThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
        assertThat(run()).as("what can be read once").isEqualTo(2);
        Files.delete(pipe);
        urls(1);
        assertThat(run("--rate", "0")).isEqualTo(2);
        assertThat(output()).contains("--rate");
        Files.writeString(results, "precious");
        assertThat(run()).isEqualTo(1);
        assertThat(output()).contains("line 1 of results.jsonl is no result");
        assertThat(results).hasContent("precious");
    }

    private String said() {
        try {
            return output();
        } catch (IOException e) {
            return e.toString();
        }
    }
}
