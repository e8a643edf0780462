package dev.pacer.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pacer.http.Progress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class BarTest {

    private static final Progress HALF = new Progress(
            48, 1, 1, OptionalLong.of(100), 6.94, Optional.of(Duration.ofMillis(83_100)), Duration.ofMillis(11_001));

    private static final Progress UNKNOWN =
            new Progress(3, 0, 0, OptionalLong.empty(), 1, Optional.empty(), Duration.ZERO);

    private static String shown(boolean terminal) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Bar bar = new Bar(new PrintStream(bytes, true, StandardCharsets.UTF_8), terminal);
        bar.show(UNKNOWN);
        bar.show(HALF);
        bar.end();
        return bytes.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }

    @Test
    void itSaysWhatIsKnown() {
        assertThat(Bar.text(HALF)).isEqualTo(
                "  [############............]  50 %  50/100  6.9/s  eta 1:24  failed 1  skipped 1  rate limited for 0:12");
        assertThat(Bar.text(UNKNOWN)).isEqualTo("  3  1.0/s");
    }

    @Test
    void nothingToDoIsAFullBar() {
        Progress none = new Progress(0, 0, 0, OptionalLong.of(0), 0, Optional.of(Duration.ZERO), Duration.ZERO);
        assertThat(Bar.text(none)).startsWith("  [########################] 100 %  0/0");
    }

    @Test
    void onATerminalALineIsWrittenOverAndElsewhereThereAreLines() {
        assertThat(shown(/* terminal= */ true))
                .isEqualTo("\r" + Bar.text(UNKNOWN) + "\u001b[K\r" + Bar.text(HALF) + "\u001b[K\n");
        assertThat(shown(/* terminal= */ false)).isEqualTo(Bar.text(UNKNOWN) + "\n" + Bar.text(HALF) + "\n");
    }
}
