package dev.pacer.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pacer.http.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResultsTest {

    private static final Result GOOD = new Result("http://a/ö", Outcome.State.SUCCEEDED, 200, 12L, null, null);
    private static final Result BAD = new Result("http://b/", Outcome.State.FAILED, 404, null, "status 404", null);
    private static final Result LATER = new Result("http://c/", Outcome.State.SKIPPED, 429, null, "refused", 30.0);

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("results.jsonl");
    }

    private void record(Result... some) throws IOException {
        try (Results results = Results.open(file)) {
            for (Result result : some) {
                results.record(result);
            }
        }
    }

    @Test
    void onlyWhatWasSkippedIsTriedAgain() throws IOException {
        record(GOOD, BAD, LATER);
        try (Results results = Results.open(file)) {
            assertThat(results.isDone(GOOD.url())).isTrue();
            assertThat(results.isDone(BAD.url())).isTrue();
            assertThat(results.isDone(LATER.url())).isFalse();
            assertThat(results.isDone("http://d/")).isFalse();
        }
        assertThat(Files.readAllLines(file))
                .containsExactly(
                        "{\"url\":\"http://a/ö\",\"state\":\"SUCCEEDED\",\"status\":200,\"bytes\":12}",
                        "{\"url\":\"http://b/\",\"state\":\"FAILED\",\"status\":404,\"error\":\"status 404\"}",
                        "{\"url\":\"http://c/\",\"state\":\"SKIPPED\",\"status\":429,\"error\":\"refused\",\"retryAfterSeconds\":30.0}");
    }

    /** Wherever a process was killed within its last line, nothing before that line is lost, and the file goes on. */
    @Test
    void aTornLastLineIsCutOffWhereverItWasTorn() throws IOException {
        record(GOOD, LATER);
        byte[] whole = Files.readAllBytes(file);
        int last = GOOD.toLine().getBytes(StandardCharsets.UTF_8).length;
        for (int length = last; length < whole.length - 1; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            record(BAD);
            assertThat(Files.readString(file)).isEqualTo(GOOD.toLine() + BAD.toLine());
        }
    }

    @Test
    void aLastLineThatOnlyLacksItsEndIsKept() throws IOException {
        Files.writeString(file, LATER.toLine() + GOOD.toLine().strip());
        try (Results results = Results.open(file)) {
            assertThat(results.isDone(GOOD.url())).isTrue();
            results.record(BAD);
        }
        assertThat(Files.readString(file)).isEqualTo(LATER.toLine() + GOOD.toLine() + BAD.toLine());
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://a/", "http://a/\nhttp://b/\n", "{\"url\":\"http://a/\"}\n", "\n", "null\n", "[]\n{"})
    void aFileOfSomethingElseIsRefusedAndLeftAsItIs(String content) throws IOException {
        Files.writeString(file, content);
        assertThatThrownBy(() -> Results.open(file)).isInstanceOf(IOException.class).hasMessageContaining("line 1 of");
        assertThat(Files.readString(file)).isEqualTo(content);
    }

    @Test
    void twoRunsDoNotWriteToOneFile() throws IOException {
        try (Results results = Results.open(file)) {
            assertThatThrownBy(() -> Results.open(file)).hasMessageContaining("in use by another run");
            results.record(GOOD);
        }
        assertThat(Files.readString(file)).isEqualTo(GOOD.toLine());
    }
}
