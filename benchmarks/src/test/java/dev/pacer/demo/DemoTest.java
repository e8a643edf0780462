package dev.pacer.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class DemoTest {

    @ParameterizedTest
    @CsvSource({"--cooldown 5s, 5", "--cooldown 12, 12", "--cooldown=60s, 60", "--rate 7, 5", "--no-cooldown, 0",
        "--no-pacer-sharing, 0"})
    void theCooldownIsInSeconds(String options, int seconds) {
        assertThat(plan(options.split(" ", 2)).cooldown()).isEqualTo(Duration.ofSeconds(seconds));
    }

    @ParameterizedTest
    @CsvSource({"--outage, 10", "--outage 4s, 4", "--outage=12, 12", "--outage --rate 7, 10", "--rate 7, 0"})
    void theOutageIsInSecondsToo(String options, int seconds) {
        assertThat(plan(options.split(" ")).outage()).isEqualTo(Duration.ofSeconds(seconds));
    }

    @Test
    void withAnOutageThereIsNoCooldown() {
        assertThat(plan("--outage").cooldown()).isZero();
    }

    @Test
    void theDefaultsAreThoseOfTheReadme() {
        Plan plan = plan();

        assertThat(plan.rate()).isEqualTo(7);
        assertThat(plan.requests()).isEqualTo(210);
        assertThat(plan.lateness()).isEqualTo(Duration.ofMillis(50));
        assertThat(plan.sharing()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --cooldown=0           | --cooldown must be 1 to 60 seconds, was 0
            --cooldown=61s         | --cooldown must be 1 to 60 seconds, was 61s
            --cooldown=99999999999 | --cooldown must be 1 to 60 seconds, was 99999999999
            --cooldown=0.5         | --cooldown must be 1 to 60 seconds, was 0.5
            --cooldown=5m          | --cooldown must be 1 to 60 seconds, was 5m
            --cooldown=-5          | --cooldown must be 1 to 60 seconds, was -5
            --cooldown=5 --no-cooldown      | --cooldown has no use with --no-cooldown
            --cooldown=5 --no-pacer-sharing | --cooldown has no use with --no-pacer-sharing
            --outage=0             | --outage must be 1 to 300 seconds, was 0
            --outage=301s          | --outage must be 1 to 300 seconds, was 301s
            --outage=1m            | --outage must be 1 to 300 seconds, was 1m
            --outage --cooldown=5  | --cooldown has no use with --outage
            --outage --no-pacer-sharing     | --outage has no use with --no-pacer-sharing
            --outage --database=r2dbc:postgresql://u:p@h/d | --outage is for the demo's own database only
            --outage --requests=170         | --requests must be at least 171 with an outage of 10 s at this rate, was 170
            --outage=300           | --requests must be at least 2912 with an outage of 300 s at this rate, was 210
            --lateness=-1          | --lateness must be 0 to 900, was -1
            --lateness=901         | --lateness must be 0 to 900, was 901
            """)
    void aBadOptionIsNamed(String options, String rule) {
        StringWriter errors = new StringWriter();
        CommandLine line = new CommandLine(new Demo()).setErr(new PrintWriter(errors));

        assertThat(line.execute(options.split(" "))).isEqualTo(2);
        assertThat(errors.toString()).contains(rule);
    }

    private static Plan plan(String... options) {
        Demo demo = new Demo();
        new CommandLine(demo).parseArgs(options);
        return demo.plan();
    }
}
