package dev.pacer.demo;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pacer.http.Outcome;
import dev.pacer.http.RefusedException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What became of one URL; a line of JSON, without what is null.
 *
 * @param status of the last answer, if there was one
 * @param bytes of the body, if it succeeded
 * @param error why it did not
 * @param retryAfterSeconds the vendor's figure, if it was skipped and there was one
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Result(
        String url,
        Outcome.State state,
        @Nullable Integer status,
        @Nullable Long bytes,
        @Nullable String error,
        @Nullable Double retryAfterSeconds) {

    private static final JsonMapper JSON = new JsonMapper();

    static Result of(Outcome<String, Pages.Page> outcome) {
        return new Result(
                outcome.item(),
                outcome.state(),
                outcome.result().map(Pages.Page::status).or(() -> outcome.error().map(Result::status)).orElse(null),
                outcome.result().map(Pages.Page::bytes).orElse(null),
                outcome.error().map(Result::reason).orElse(null),
                outcome.retryAfter().map(Result::seconds).orElse(null));
    }

    private static @Nullable Integer status(Throwable error) {
        if (error instanceof Pages.StatusException bad) {
            return bad.status();
        }
        return error instanceof RefusedException refused ? refused.status() : null;
    }

    private static String reason(Throwable error) {
        return error instanceof Pages.StatusException bad ? "status " + bad.status() : error.toString();
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1e3;
    }

    String toLine() {
        try {
            return JSON.writeValueAsString(this) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Null if it is no result, or not the whole of one. */
    static @Nullable Result ofLine(String line) {
        try {
            Result result = JSON.readValue(line, Result.class);
            return result == null || result.url == null || result.state == null ? null : result;
        } catch (JsonProcessingException none) {
            return null;
        }
    }
}
