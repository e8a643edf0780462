package dev.pacer.demo;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.http.Destination;
import dev.pacer.http.HttpPacing;
import dev.pacer.http.PacingHttpClient;
import dev.pacer.postgres.PostgresCursor;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/** Fetches pages, from each host at the same pace. Thread-safe. */
final class Pages implements AutoCloseable {

    private static final Duration RESPONSE_LIMIT = Duration.ofSeconds(30);
    private static final Duration DATABASE_LIMIT = Duration.ofSeconds(5);
    private static final int FIRST_BAD = 400;

    private final Set<String> keys = ConcurrentHashMap.newKeySet();
    private final Pacer pacer;
    private final HttpClient client;

    /** A page that was read to its end, and not kept. */
    record Page(int status, long bytes) {}

    /** The vendor answered, but not with the page. */
    static final class StatusException extends RuntimeException {
        private final int status;

        StatusException(int status) {
            super("status " + status, null, false, false);
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    Pages(Pace pace, Duration maxWait, @Nullable String database) {
        Pacer.Builder builder = Pacer.builder().defaultPace(pace);
        if (database != null) {
            builder.cursor(PostgresCursor.builder().url(database).timeLimit(DATABASE_LIMIT).build());
        }
        pacer = builder.build();
        client = PacingHttpClient.decorate(
                HttpClient.create().followRedirect(true).responseTimeout(RESPONSE_LIMIT),
                HttpPacing.builder(pacer).maxWait(maxWait).onRefused(HttpPacing.OnRefused.ERROR).build());
    }

    /** Waits for a slot of its host. */
    Mono<Page> get(String url) {
        keys.add(Destination.of(url).key());
        return client.get()
                .uri(url)
                .response((response, body) -> body.map(piece -> (long) piece.readableBytes())
                        .reduce(0L, Long::sum)
                        .map(bytes -> new Page(response.status().code(), bytes)))
                .single()
                .flatMap(page -> page.status() < FIRST_BAD
                        ? Mono.just(page)
                        : Mono.error(new StatusException(page.status())));
    }

    /** How long the longest cooldown of any host lasts. */
    Duration cooldownLeft() {
        return keys.stream().map(pacer::remaining).max(Duration::compareTo).orElse(Duration.ZERO);
    }

    @Override
    public void close() {
        pacer.close();
        pacer.whenClosed().block(DATABASE_LIMIT);
    }
}
