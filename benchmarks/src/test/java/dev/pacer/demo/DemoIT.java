package dev.pacer.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the demo as users do. The headroom is far more than its default, for machines that are busy with other tests. */
@Timeout(120)
class DemoIT {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration POLL = Duration.ofMillis(20);

    @TempDir
    private Path directory;

    @Test
    void threeProcessesShareOneCeilingAndKeepTheCooldownThatOneWasTold() throws Exception {
        DemoProcess demo = DemoProcess.start(directory, "--rate", "20", "--requests", "60", "--headroom", "0.3",
                "--cooldown", "1s", "--lateness", "400", "--reservations", "200");

        assertThat(demo.exitCode()).as(() -> demo.output()).isZero();
        JsonNode summary = summary();
        assertThat(summary.path("held").asBoolean()).isTrue();
        assertThat(summary.path("processes").asInt()).isEqualTo(3);
        assertThat(summary.path("ceilingPerSecond").asInt()).isEqualTo(20);
        assertThat(summary.path("resources").asInt()).isEqualTo(60);
        assertThat(summary.path("rateLimited").asInt(-1)).isZero();
        assertThat(summary.path("peakInAnySecond").asInt()).isBetween(2, 20);
        assertThat(summary.path("minGapMillis").asDouble(-1)).isBetween(0.0, 1_000 / 14.0);
        assertThat(summary.path("spanSeconds").asDouble()).isGreaterThan(59 / 20.0 + 1);
        double p50 = summary.path("reservationP50Micros").asDouble();
        assertThat(p50).isPositive();
        assertThat(summary.path("reservationP99Micros").asDouble()).isGreaterThanOrEqualTo(p50);
        assertThat(summary.path("shareOfInterval").asDouble()).isBetween(p50 * 14 / 1e6 * 0.99, p50 * 14 / 1e6 * 1.01);
        cooldownWasKept(summary);
        assertThat(demo.output())
                .contains("the vendor says: Retry-After: 1", "The ceiling held", "The cooldown was kept")
                .doesNotContain("WARN", "Exception");
        assertThat(demo.children()).hasSize(4).noneMatch(DemoProcess::runs);
    }

    private static void cooldownWasKept(JsonNode summary) {
        JsonNode cooldown = summary.path("cooldown");
        assertThat(cooldown.path("seconds").asInt()).isEqualTo(1);
        assertThat(cooldown.path("graceMillis").asDouble()).isEqualTo(450);
        assertThat(cooldown.path("arrivedInside").asInt(-1)).isZero();
        assertThat(cooldown.path("firstAfterMillis").asDouble(-1)).isNotNegative();
        assertThat(cooldown.path("gapsMillis")).hasSize(9);
        assertThat(sum(cooldown.path("firstPerProcess"))).isEqualTo(10);
        int refused = 1 + cooldown.path("arrivedInGrace").asInt();
        assertThat(summary.path("refused").asInt()).isEqualTo(refused);
        assertThat(summary.path("dispatched").asInt()).isEqualTo(60 + refused);
        assertThat(sum(summary.path("perProcess"))).as("each was sent again").isEqualTo(60 + refused);
    }

    private static int sum(JsonNode numbers) {
        int sum = 0;
        for (JsonNode number : numbers) {
            sum += number.asInt();
        }
        return sum;
    }

    @Test
    void whenTheDatabaseIsKilledEachWorkerGoesOnAtItsShareUntilItIsBack() throws Exception {
        DemoProcess demo = DemoProcess.start(directory, "--rate", "10", "--requests", "110", "--headroom", "0.3",
                "--outage", "2s", "--lateness", "400", "--reservations", "200");

        assertThat(demo.exitCode()).as(() -> demo.output()).isZero();
        JsonNode summary = summary();
        assertThat(summary.path("held").asBoolean()).isTrue();
        assertThat(summary.path("resources").asInt()).isEqualTo(110);
        assertThat(summary.path("cooldown").isNull()).isTrue();
        JsonNode outage = summary.path("outage");
        assertThat(outage.path("seconds").asDouble()).isGreaterThanOrEqualTo(2);
        assertThat(outage.path("aloneAfterSeconds").asDouble(-1)).isNotNegative();
        assertThat(outage.path("sharedAfterSeconds").asDouble(-1)).isNotNegative();
        JsonNode before = outage.path("before");
        assertThat(before.path("arrivals").asInt()).isGreaterThanOrEqualTo(36);
        assertThat(before.path("peak").asInt()).isBetween(2, 10);
        JsonNode during = outage.path("during");
        assertThat(during.path("perWorker")).hasSize(3).allMatch(
                count -> count.asInt() > 0 && count.asInt() <= outage.path("allowedPerWorker").asInt());
        assertThat(during.path("peak").asInt()).isBetween(1, during.path("allowedPeak").asInt());
        assertThat(outage.path("after").path("arrivals").asInt()).isPositive();
        assertThat(outage.path("after").path("peak").asInt()).isBetween(1, 10);
        assertThat(demo.output())
                .contains("database killed", "every worker paces alone", "database back", "all share again")
                .contains("The ceiling held", "The outage was bridged")
                .doesNotContain("WARN", "ERROR", "Exception");
        assertThat(demo.children()).as("the database twice").hasSize(5).noneMatch(DemoProcess::runs);
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "KILL"})
    @DisabledOnOs(OS.WINDOWS)
    void aSignalInTheOutageLeavesNothingBehind(String signal) throws Exception {
        DemoProcess demo = DemoProcess.start(
                        directory, "--requests", "330", "--rate", "20", "--reservations", "50", "--outage", "4s")
                .readUntil(line -> line.contains("database killed"));

        demo.signal(signal);

        assertThat(demo.exitCode()).as(() -> demo.output()).isGreaterThan(128);
        assertThat(demo.output()).contains("database killed");
        assertThat(demo.children()).hasSizeGreaterThanOrEqualTo(4).allMatch(DemoIT::ends);
    }

    @Test
    void withoutSharingTheCeilingBreaksByTheNumberOfProcesses() throws Exception {
        DemoProcess demo = DemoProcess.start(
                directory, "--rate", "20", "--requests", "150", "--reservations", "200", "--no-pacer-sharing");

        assertThat(demo.exitCode()).as(() -> demo.output()).isEqualTo(1);
        JsonNode summary = summary();
        assertThat(summary.path("held").asBoolean(true)).isFalse();
        assertThat(summary.path("dispatched").asInt()).isEqualTo(150);
        assertThat(summary.path("rateLimited").asInt()).isPositive();
        assertThat(summary.path("peakInAnySecond").asInt()).isBetween(45, 75);
        assertThat(summary.path("cooldown").isNull()).isTrue();
        assertThat(demo.output()).contains("The ceiling broke", "--no-pacer-sharing");
        assertThat(demo.children()).hasSize(3).noneMatch(DemoProcess::runs);
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM", "KILL"})
    @DisabledOnOs(OS.WINDOWS)
    void aSignalInTheMiddleOfTheRunLeavesNothingBehind(String signal) throws Exception {
        DemoProcess demo = DemoProcess.start(directory, "--requests", "1000", "--reservations", "50")
                .readUntil(line -> line.matches(" +1( +\\d+){6}"));

        demo.signal(signal);

        assertThat(demo.exitCode()).as(() -> demo.output()).isGreaterThan(128);
        assertThat(demo.children()).hasSize(4).allMatch(DemoIT::ends);
    }

    @Test
    void aBadOptionIsNamed() throws Exception {
        DemoProcess demo = DemoProcess.start(directory, "--processes", "0");

        assertThat(demo.exitCode()).isEqualTo(2);
        assertThat(demo.output()).contains("--processes must be 1 to 64, was 0");
        assertThat(directory).isEmptyDirectory();
    }

    private JsonNode summary() throws IOException {
        return new ObjectMapper().readTree(directory.resolve("benchmarks/target/demo/summary.json").toFile());
    }

    /** After a KILL nobody is left who waits for the children to end. */
    private static boolean ends(long pid) {
        long start = System.nanoTime();
        while (DemoProcess.runs(pid) && System.nanoTime() - start < PATIENCE.toNanos()) {
            LockSupport.parkNanos(POLL.toNanos());
        }
        return !DemoProcess.runs(pid);
    }
}
