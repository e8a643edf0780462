package dev.pacer.demo;

import dev.pacer.Pace;
import dev.pacer.http.Bulk;
import dev.pacer.http.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * Your own list: {@code java -cp benchmarks/target/benchmarks.jar dev.pacer.demo.Fetch --urls urls.txt --out
 * results.jsonl}.
 *
 * <p>The list is read as it goes, and not held; the URLs of the results that are there already are. A URL that was
 * under way when a run was killed is fetched again.
 *
 * <p>Exits with 0 when in this run nothing failed or was skipped, with 1 else, with 2 for a bad option.
 */
@Command(
        name = "fetch",
        sortOptions = false,
        description = {
            "Fetches a list of URLs, from each host at a pace, and writes a line of JSON for each.",
            "Run it again to go on: what SUCCEEDED or FAILED is left out, what was SKIPPED because of a limit is tried again."
        })
public final class Fetch implements Callable<Integer> {

    private static final int MOST = 10_000;

    @Option(names = "--urls", paramLabel = "FILE", required = true,
            description = "The list: a URL a line. Empty lines, and those that begin with #, are not looked at.")
    private @Nullable Path urls;

    @Option(names = "--out", paramLabel = "FILE", required = true,
            description = "The results. What is there already stays, and new ones come after it.")
    private @Nullable Path out;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "1",
            description = "Requests to one host in a second. Default: ${DEFAULT-VALUE}")
    private double rate;

    @Option(names = "--concurrency", paramLabel = "N", defaultValue = "16",
            description = "URLs under way at once, waiting ones included. Default: ${DEFAULT-VALUE}")
    private int concurrency;

    @Option(names = "--max-wait", paramLabel = "SECONDS", defaultValue = "300",
            description = "How long a URL may wait for its turn before it is skipped. Default: ${DEFAULT-VALUE}")
    private long maxWait;

    @Option(names = "--retry-failed", description = "Try again what failed in earlier runs, too.")
    private boolean retryFailed;

    @Option(names = "--database", paramLabel = "URL",
            description = "r2dbc:postgresql://user:password@host:port/database, to share the pace with other processes.")
    private @Nullable String database;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this.")
    @SuppressWarnings("UnusedVariable") // picocli looks at it
    private boolean help;

    @Spec
    private @Nullable CommandSpec spec;

    private long failedBefore;
    private final Map<Outcome.State, Integer> counts = new EnumMap<>(Outcome.State.class);

    public static void main(String[] args) {
        // Newer JDKs warn of what Netty does with these two. Nothing here needs either.
        System.setProperty("io.netty.noUnsafe", "true");
        System.setProperty("io.netty.transport.noNative", "true");
        CommandLine line = new CommandLine(new Fetch());
        line.setParameterExceptionHandler((error, given) -> {
            line.getErr().println("fetch: " + error.getMessage());
            line.getErr().println("Try --help.");
            return line.getCommandSpec().exitCodeOnInvalidInput();
        });
        line.setExecutionExceptionHandler((failure, given, parsed) -> {
            line.getErr().println("fetch: " + failure.getMessage());
            return line.getCommandSpec().exitCodeOnExecutionException();
        });
        System.exit(line.execute(args));
    }

    @Override
    public Integer call() throws IOException {
        Path list = given(urls);
        // it is read several times, which a pipe gives nothing
        require(Files.isRegularFile(list) && Files.isReadable(list), "--urls must be a file that can be read, was " + list);
        require(concurrency >= 1 && concurrency <= MOST, "--concurrency must be 1 to " + MOST + ", was " + concurrency);
        require(maxWait >= 0, "--max-wait must not be negative, was " + maxWait);
        try (Results results = Results.open(given(out)); Pages pages = pages()) {
            run(list, results, pages);
        } catch (UncheckedIOException unreadable) {
            throw new IOException(list + " cannot be read: " + unreadable.getMessage(), unreadable);
        }
        return count(Outcome.State.FAILED) + count(Outcome.State.SKIPPED) + failedBefore == 0 ? 0 : 1;
    }

    private void run(Path list, Results results, Pages pages) throws IOException {
        long listed = count(list, url -> true);
        long left = count(list, url -> isOpen(results, url));
        failedBefore = retryFailed ? 0 : count(list, results::hasFailed);
        Screen.line("@|bold %d URL%s, %d to fetch|@", listed, listed == 1 ? "" : "s", left);
        Bar bar = new Bar(System.out, Ansi.AUTO.enabled());
        Bulk<String, Pages.Page> bulk = Bulk.builder(pages::get)
                .concurrency(concurrency)
                .watching(pages::cooldownLeft)
                .onProgress(bar.every(), bar::show)
                .build();
        Flux<String> open = lines(list).filter(url -> isOpen(results, url));
        bulk.run(open.publishOn(Schedulers.boundedElastic()), left)
                .publishOn(Schedulers.boundedElastic(), concurrency)
                .doOnNext(outcome -> record(results, outcome))
                .blockLast();
        bar.end();
        sayWhatCameOfIt();
    }

    private boolean isOpen(Results results, String url) {
        return !results.isDone(url) || (retryFailed && results.hasFailed(url));
    }

    private static long count(Path list, Predicate<String> which) throws IOException {
        try (Stream<String> all = read(list)) {
            return all.filter(which).count();
        }
    }

    @SuppressWarnings("StreamResourceLeak") // whoever reads closes it
    private static Stream<String> read(Path list) throws IOException {
        return Files.lines(list).map(String::strip).filter(line -> !line.isEmpty() && !line.startsWith("#"));
    }

    private static Flux<String> lines(Path list) {
        return Flux.using(() -> read(list), Flux::fromStream, Stream::close);
    }

    private void record(Results results, Outcome<String, Pages.Page> outcome) {
        try {
            results.record(Result.of(outcome));
        } catch (IOException full) {
            throw new IllegalStateException(out + " cannot be written: " + full.getMessage(), full);
        }
        counts.merge(outcome.state(), 1, Integer::sum);
    }

    private void sayWhatCameOfIt() {
        int skipped = count(Outcome.State.SKIPPED);
        Screen.line("%d succeeded, %d failed, %d skipped: %s",
                count(Outcome.State.SUCCEEDED), count(Outcome.State.FAILED), skipped, String.valueOf(out));
        if (skipped > 0) {
            Screen.line("Run the same again later for those that were skipped.");
        }
        if (failedBefore > 0) {
            Screen.line("%d failed in earlier runs: --retry-failed tries them again.", failedBefore);
        }
    }

    private int count(Outcome.State state) {
        return counts.getOrDefault(state, 0);
    }

    private Pages pages() {
        try {
            return new Pages(Pace.perSecond(rate), Duration.ofSeconds(maxWait), database);
        } catch (IllegalArgumentException bad) {
            throw bad("--rate or --database: " + bad.getMessage());
        }
    }

    private static Path given(@Nullable Path option) {
        if (option == null) {
            throw new IllegalStateException("picocli sees to it that required options are there");
        }
        return option;
    }

    private void require(boolean holds, String rule) {
        if (!holds) {
            throw bad(rule);
        }
    }

    private ParameterException bad(String message) {
        if (spec == null) {
            throw new IllegalStateException(message);
        }
        return new ParameterException(spec.commandLine(), message);
    }
}
