package dev.pacer;

/** Lends {@link Gcra#take} to tests of other packages. */
public final class GcraBridge {
    private GcraBridge() {}

    public static Cursor.Row take(long cursor, long seq, long now, Cursor.Claim claim) {
        return Gcra.take(new Cursor.Row(cursor, 0, now, seq, false, Cursor.Gate.OPEN), now, claim);
    }
}
