package dev.pacer.demo;

import dev.pacer.postgres.PostgresCursor;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Three processes, one ceiling: {@code java -cp benchmarks/target/benchmarks.jar dev.pacer.demo.Demo}.
 *
 * <p>Exits with 0 only when the ceiling held, with 1 when it did not or the run failed, with 2 for a bad option.
 */
@Command(
        name = "demo",
        sortOptions = false,
        description = "Worker processes fetch from one vendor, and share its ceiling through PostgreSQL.")
public final class Demo implements Callable<Integer> {

    private static final int MOST_PROCESSES = 64;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "7",
            description = "Requests that the vendor takes in any second; above, it answers 429. Default: ${DEFAULT-VALUE}")
    private int rate;

    @Option(names = "--processes", paramLabel = "N", defaultValue = "3",
            description = "Worker processes, a JVM each. Default: ${DEFAULT-VALUE}")
    private int processes;

    @Option(names = "--requests", paramLabel = "N", defaultValue = "210",
            description = "Resources to fetch, by all workers together. Default: ${DEFAULT-VALUE}")
    private int requests;

    @Option(names = "--headroom", paramLabel = "PART", defaultValue = "0.1",
            description = "Part of the rate to leave unused, because the vendor counts arrivals and those are not as"
                    + " even as what was sent. Default: ${DEFAULT-VALUE}")
    private double headroom;

    @Option(names = "--reservations", paramLabel = "N", defaultValue = "2000",
            description = "Reservations that each worker times before the run. Default: ${DEFAULT-VALUE}")
    private int reservations;

    @Option(names = "--database", paramLabel = "URL",
            description = "r2dbc:postgresql://user:password@host:port/database of a PostgreSQL that runs already."
                    + " Default: one is started.")
    private @Nullable String database;

    @Option(names = "--no-pacer-sharing",
            description = "Every worker paces by itself, without the database: the ceiling breaks.")
    private boolean alone;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this.")
    @SuppressWarnings("UnusedVariable") // picocli looks at it
    private boolean help;

    @Spec
    private @Nullable CommandSpec spec;

    public static void main(String[] args) {
        // Newer JDKs warn of what Netty does with these two. The vendor needs neither.
        System.setProperty("io.netty.noUnsafe", "true");
        System.setProperty("io.netty.transport.noNative", "true");
        CommandLine line = new CommandLine(new Demo());
        line.setParameterExceptionHandler(Demo::badOption);
        System.exit(line.execute(args));
    }

    private static int badOption(ParameterException error, String[] args) {
        CommandLine line = error.getCommandLine();
        line.getErr().println("demo: " + error.getMessage());
        line.getErr().println("Try --help.");
        return line.getCommandSpec().exitCodeOnInvalidInput();
    }

    @Override
    public Integer call() {
        return new Run(plan()).toTheEnd();
    }

    private Plan plan() {
        require(rate >= 1, "--rate must be at least 1, was " + rate);
        require(processes >= 1 && processes <= MOST_PROCESSES,
                "--processes must be 1 to " + MOST_PROCESSES + ", was " + processes);
        require(requests >= 1, "--requests must be at least 1, was " + requests);
        require(reservations >= 1, "--reservations must be at least 1, was " + reservations);
        require(database == null || !alone, "--database has no use with --no-pacer-sharing");
        Plan plan = new Plan(rate, headroom, processes, requests, reservations, !alone, database);
        try {
            plan.pace();
        } catch (IllegalArgumentException bad) {
            throw bad("--rate or --headroom: " + bad.getMessage());
        }
        checkDatabase();
        return plan;
    }

    /** Whether the URL can be read; nothing is connected. */
    private void checkDatabase() {
        if (database == null) {
            return;
        }
        require(database.startsWith("r2dbc:postgresql://"),
                "--database must be a URL like r2dbc:postgresql://user:password@host:5432/database");
        try {
            PostgresCursor.of(database);
        } catch (RuntimeException bad) {
            throw bad("--database: " + bad.getMessage());
        }
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
