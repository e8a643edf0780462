package dev.pacer.postgres;

import dev.pacer.Cursor;
import dev.pacer.Gcra;
import java.time.Duration;

/** Claims as tests make them. */
final class Claims {
    static final long MINUTES = Duration.ofMinutes(15).toNanos();

    private Claims() {}

    static Gcra perSecond(int rate) {
        return new Gcra(256_000_000_000L / rate, 1);
    }

    /** So many slots of a key, whenever they are due within a quarter of an hour. */
    static Cursor.Claim of(String key, Gcra gcra, long permits) {
        return of(key, gcra, permits, 0);
    }

    static Cursor.Claim of(String key, Gcra gcra, long permits, long floor) {
        return new Cursor.Claim(key, gcra, permits, 1, permits, MINUTES, floor, 2 * MINUTES);
    }

    static Cursor.Claim one(String key) {
        return of(key, perSecond(1_000), 1);
    }

    /** The tail of a grant: its last {@code permits} slots. */
    static Cursor.Refund tail(Cursor.Claim claim, Cursor.Grant grant, long permits) {
        Gcra gcra = claim.gcra();
        return new Cursor.Refund(
                claim.key(),
                grant.start() + gcra.advance(grant.permits()),
                grant.seq(),
                grant.start() + gcra.advance(grant.permits() - permits));
    }
}
