package dev.pacer.postgres;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** What waits for its turn on the connection. Thread-safe, except that only one at a time may poll. */
final class Turns {

  private static final int KINDS = 4;

  private final Queue<Asked> claims = new ConcurrentLinkedQueue<>();
  private final Queue<Single<?>> singles = new ConcurrentLinkedQueue<>();
  private final Queue<Looks.Look> looks = new ConcurrentLinkedQueue<>();
  private final Queue<Try> again = new ConcurrentLinkedQueue<>();
  private int kind;

  /** Work, the how manieth time it is tried, and when it was for the first time. */
  record Try(Work<?> work, int attempt, long since) {
    Try next() {
      return new Try(work, attempt + 1, since);
    }
  }

  void add(Asked claim) {
    claims.add(claim);
  }

  /** A step that is waited for. */
  void add(Single<?> single) {
    singles.add(single);
  }

  /** A look at something, of which there may be many at a time. */
  void add(Looks.Look look) {
    looks.add(look);
  }

  /** Work that was in another session's way, and has let others go first. */
  void addAgain(Try work) {
    again.add(work);
  }

  boolean isEmpty() {
    return claims.isEmpty() && singles.isEmpty() && looks.isEmpty() && again.isEmpty();
  }

  /** One of each kind in turn, so that no kind holds up the others; null if there is none. */
  @Nullable Try poll(long now) {
    for (int i = 0; i < KINDS; i++) {
      kind = (kind + 1) % KINDS;
      Try next =
          switch (kind) {
            case 0 -> first(Batch.of(claims), now);
            case 1 -> first(singles.poll(), now);
            case 2 -> first(Looks.of(looks), now);
            default -> again.poll();
          };
      if (next != null) {
        return next;
      }
    }
    return null;
  }

  private static @Nullable Try first(@Nullable Work<?> work, long now) {
    return work == null ? null : new Try(work, 1, now);
  }

  /** All that waits. */
  List<Work<?>> pollAll() {
    List<Work<?>> all = new ArrayList<>();
    for (Try next = poll(0); next != null; next = poll(0)) {
      all.add(next.work());
    }
    return all;
  }
}
