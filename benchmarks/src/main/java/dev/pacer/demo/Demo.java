package dev.pacer.demo;

import dev.pacer.postgres.PostgresCursor;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
 * <p>Exits with 0 only when the ceiling held, everything was fetched, and the vendor's cooldown was kept or the outage
 * bridged; with 1 when
 * not, or when the run failed; with 2 for a bad option.
 */
@Command(
        name = "demo",
        sortOptions = false,
        description = "Worker processes fetch from one vendor, and share its ceiling through PostgreSQL. In the middle, the"
                + " vendor tells one of them to stop for a while, and all stop.",
        footer = {"", "Exits with 0 only when the ceiling held, everything was fetched, and nothing arrived in the"
                + " cooldown or too close together after it. With --outage, the ceiling is that of the time before and after;"
                + " during it, each worker and every second must keep to what each one's share allows."})
public final class Demo implements Callable<Integer> {

    private static final String COOLDOWN = "5s";
    private static final int MOST_PROCESSES = 64;
    private static final int LONGEST_COOLDOWN = 60;
    private static final String OUTAGE = "10s";
    private static final int LONGEST_OUTAGE = 300;
    /** So long must there be something to do when the workers share again. */
    private static final Duration AFTERWARDS = Duration.ofSeconds(3);
    private static final int MOST_LATENESS = 900;
    private static final Pattern SECONDS = Pattern.compile("([0-9]{1,4})s?");

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

    @Option(names = "--cooldown", paramLabel = "SECONDS",
            description = "How long the vendor stops everybody, after half of the requests: 429 and Retry-After to all that"
                    + " arrives. 5 and 5s are the same. Default: " + COOLDOWN)
    private @Nullable String cooldown;

    @Option(names = "--no-cooldown", description = "The vendor stops nobody.")
    private boolean noCooldown;

    @Option(names = "--outage", paramLabel = "SECONDS", arity = "0..1", fallbackValue = OUTAGE,
            description = "Instead of the cooldown: after a third of the requests, the database is killed (SIGKILL), and"
                    + " started again so long after that. The workers go on, each at its share of the rate, and share again"
                    + " when they find it back. Default: " + OUTAGE)
    private @Nullable String outage;

    @Option(names = "--lateness", paramLabel = "MS", defaultValue = "50",
            description = "How much later than its slot a request may arrive, on a busy machine or a long way. For so long,"
                    + " after the 50 ms that a notice may take, an arrival in the cooldown is nobody's fault; and by so much"
                    + " two requests after it may be closer than their slots. In an outage, what is allowed in a time is"
                    + " allowed in a time that is so much longer. Default: ${DEFAULT-VALUE}")
    private int lateness;

    @Option(names = "--reservations", paramLabel = "N", defaultValue = "2000",
            description = "Reservations that each worker times before the run. Default: ${DEFAULT-VALUE}")
    private int reservations;

    @Option(names = "--database", paramLabel = "URL",
            description = "r2dbc:postgresql://user:password@host:port/database of a PostgreSQL that runs already."
                    + " Default: one is started.")
    private @Nullable String database;

    @Option(names = "--no-pacer-sharing",
            description = "Every worker paces by itself, without the database, and does not hear what the vendor answers:"
                    + " the ceiling breaks. There is no cooldown.")
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

    Plan plan() {
        require(rate >= 1, "--rate must be at least 1, was " + rate);
        require(processes >= 1 && processes <= MOST_PROCESSES,
                "--processes must be 1 to " + MOST_PROCESSES + ", was " + processes);
        require(requests >= 1, "--requests must be at least 1, was " + requests);
        require(reservations >= 1, "--reservations must be at least 1, was " + reservations);
        require(database == null || !alone, "--database has no use with --no-pacer-sharing");
        require(lateness >= 0 && lateness <= MOST_LATENESS,
                "--lateness must be 0 to " + MOST_LATENESS + ", was " + lateness);
        Plan plan = new Plan(
                rate, headroom, processes, requests, cooldownSeconds(), outageSeconds(), lateness, reservations, !alone,
                database);
        try {
            plan.pace();
        } catch (IllegalArgumentException bad) {
            throw bad("--rate or --headroom: " + bad.getMessage());
        }
        checkDatabase();
        checkOutage(plan);
        return plan;
    }

    /** 0 for none. */
    private int cooldownSeconds() {
        require(cooldown == null || !alone, "--cooldown has no use with --no-pacer-sharing");
        require(cooldown == null || !noCooldown, "--cooldown has no use with --no-cooldown");
        require(cooldown == null || outage == null, "--cooldown has no use with --outage: one event in a run");
        return alone || noCooldown || outage != null
                ? 0
                : seconds("--cooldown", cooldown == null ? COOLDOWN : cooldown, LONGEST_COOLDOWN);
    }

    /** 0 for none. */
    private int outageSeconds() {
        require(outage == null || !alone, "--outage has no use with --no-pacer-sharing");
        require(outage == null || database == null,
                "--outage is for the demo's own database only, not for the one of --database: that is yours, and not killed");
        return outage == null ? 0 : seconds("--outage", outage, LONGEST_OUTAGE);
    }

    private int seconds(String option, String given, int most) {
        Matcher matcher = SECONDS.matcher(given);
        int seconds = matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
        require(seconds >= 1 && seconds <= most, option + " must be 1 to " + most + " seconds, was " + given);
        return seconds;
    }

    /** Whether there is something left to fetch when it is over. */
    private void checkOutage(Plan plan) {
        if (plan.outage().isZero()) {
            return;
        }
        Duration longest = plan.outage().plus(Client.FALLBACK.latch()).plus(AFTERWARDS);
        long meanwhile = longest.dividedBy(plan.pace().interval()) + 1;
        long least = (meanwhile * 3 + 1) / 2;
        require(requests >= least, "--requests must be at least " + least + " with an outage of " + plan.outageSeconds()
                + " s at this rate, was " + requests);
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
