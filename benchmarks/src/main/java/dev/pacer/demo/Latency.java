package dev.pacer.demo;

import dev.pacer.Pacer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What a reservation costs apart from waiting: the time that calls take, one after another, at a pace so fast that the
 * slot is always due. Each of them is a statement of its own.
 */
final class Latency {

    /** A pace of which no single caller ever has to wait for its slot. */
    static final int NEVER_WAITS = 1_000_000;

    private Latency() {}

    static Mono<Histogram> measure(Pacer pacer, String key, int reservations) {
        return Flux.range(0, reservations)
                .concatMap(i -> timed(pacer, key), 1)
                .collect(Latency::histogram, Histogram::recordValue);
    }

    private static Mono<Long> timed(Pacer pacer, String key) {
        return Mono.defer(() -> {
            long before = System.nanoTime();
            return pacer.reserve(key).map(waited -> System.nanoTime() - before);
        });
    }

    static Histogram histogram() {
        Histogram histogram = new Histogram(Duration.ofMinutes(1).toNanos(), 3);
        histogram.setAutoResize(true);
        return histogram;
    }

    static String toText(Histogram histogram) {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(bytes);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
    }

    static Histogram ofText(String text) {
        try {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("not a histogram: " + text, e);
        }
    }
}
