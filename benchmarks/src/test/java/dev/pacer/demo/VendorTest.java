package dev.pacer.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** With a cooldown of a day, after one request. */
class VendorTest {

    private static final Duration DAY = Duration.ofDays(1);
    private static final int PATIENCE = 60;

    private final HttpClient client = HttpClient.newHttpClient();
    private final Cooldown cooldown = new Cooldown(DAY, /* after= */ 1);
    private final Vendor vendor = new Vendor(100, cooldown);

    @AfterEach
    void close() {
        vendor.close();
    }

    @Test
    void afterTheFirstHalfWhoeverComesIsToldToStayAway() throws Exception {
        assertThat(get("/images/1").statusCode()).isEqualTo(200);
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> stopped = get("/images/2");
            assertThat(stopped.statusCode()).isEqualTo(429);
            assertThat(retryAfter(stopped)).isBetween(DAY.toSeconds() - PATIENCE, DAY.toSeconds());
        }
        assertThat(vendor.served()).isEqualTo(1);
        assertThat(vendor.refused()).isEqualTo(2);
        assertThat(vendor.arrivals().count()).isEqualTo(3);
        assertThat(vendor.arrivals().limited()).isZero();
        assertThat(vendor.arrivals().from(cooldown.start(), 10)).hasSize(2).allMatch(arrival -> arrival.worker() == 2);
    }

    @Test
    void aRehearsalDoesNotCount() throws Exception {
        HttpResponse<String> stopped = get(Vendor.WARM_UP_STOP);

        assertThat(stopped.statusCode()).isEqualTo(429);
        assertThat(retryAfter(stopped)).isZero();
        assertThat(get(Vendor.WARM_UP).statusCode()).isEqualTo(200);
        assertThat(vendor.arrivals().count()).isZero();
        assertThat(vendor.refused()).isZero();
        assertThat(cooldown.hasBegun()).isFalse();
    }

    private static long retryAfter(HttpResponse<String> response) {
        return response.headers().firstValueAsLong("Retry-After").orElseThrow();
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + vendor.host() + path))
                .header(Vendor.WORKER, "2")
                .build();
        return client.send(request, BodyHandlers.ofString());
    }
}
