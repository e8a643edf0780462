package dev.pacer;

/**
 * A run of slots as one grant brought them: a few numbers, however many slots. Confined to its lane's drain.
 */
final class Run {

  final Gcra gcra;

  private final long start;
  private final long first;
  private final long receivedAt;
  private final long age;
  private long used;
  private long count;

  private Run(Gcra gcra, long start, long first, long receivedAt, long age, long count) {
    this.gcra = gcra;
    this.start = start;
    this.first = first;
    this.receivedAt = receivedAt;
    this.age = age;
    this.count = count;
  }

  /** The slots that a grant brought, received at {@code now}; its clock was read {@code age} before, at worst. */
  static Run of(Cursor.Grant grant, Gcra gcra, long now, long age) {
    return new Run(gcra, grant.start(), now + grant.waitNanos(), now, age, grant.permits());
  }

  /** The slots of a call that left at the last moment. */
  static Run of(Slot slot, Gcra gcra, long permits) {
    long length = gcra.advance(permits - 1);
    return new Run(gcra, slot.place - length, slot.due - length, slot.due, slot.age, permits);
  }

  long remaining() {
    return count - used;
  }

  void use(long permits) {
    used += permits;
  }

  /** The slot that is {@code n} behind the first unused one. */
  Slot slot(long n) {
    long moved = gcra.advance(used + n);
    return new Slot(Math.max(first + moved, receivedAt), start + moved, age);
  }

  /** When the slot could be due, in local time, that is {@code n} behind this run's last one. */
  long behind(long n) {
    return first + gcra.advance(count - 1 + n);
  }

  /** Whether its next slot follows on the last of that run, with nobody's in between. */
  boolean follows(Run before) {
    return start + gcra.advance(used) == before.end();
  }

  /** The cursor as this run left it. */
  long end() {
    return start + gcra.advance(count);
  }

  /** Takes off the last slots; they are a run of their own from now on. */
  Run split(long permits) {
    count -= permits;
    long moved = gcra.advance(count);
    return new Run(gcra, start + moved, first + moved, receivedAt, age, permits);
  }

  /**
   * One slot.
   *
   * @param due when, in local time
   * @param place where, in the cursor's time
   * @param age how much earlier it may really have been due, because the answer that brought it was slow
   */
  record Slot(long due, long place, long age) {}
}
