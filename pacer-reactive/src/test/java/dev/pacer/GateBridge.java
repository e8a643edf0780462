package dev.pacer;

/** Lets tests of other packages do again in Java what a row went through in SQL. */
public final class GateBridge {

  private GateBridge() {}

  public static Cursor.Gate stopped(Cursor.Gate gate, long now, Cursor.Stop stop) {
    return stop.backoff().stopped(gate, now, stop);
  }

  public static Cursor.Gate relaxed(Cursor.Gate gate, Cursor.Relief relief) {
    return relief.relax(gate);
  }

  public static Cursor.Row taken(Cursor.Row row, long now, Cursor.Claim claim) {
    return Gcra.take(row, now, claim);
  }
}
