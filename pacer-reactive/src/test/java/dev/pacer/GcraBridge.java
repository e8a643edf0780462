package dev.pacer;

/** Lends {@link Gcra#take} to tests of other packages. */
public final class GcraBridge {
    private GcraBridge() {}

    public static Cursor.Row take(long cursor, long seq, long now, Cursor.Claim claim) {
        return claim.gcra().take(cursor, seq, now, claim);
    }
}
