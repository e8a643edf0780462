package dev.pacer.postgres;

import dev.pacer.PacerListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * What one process has done, and when it was without the shared cursor, line by line, so that another process can read
 * it. Times are {@code System.nanoTime()}, which on Linux all processes of a machine share. Thread-safe.
 */
final class FaultDiary implements PacerListener {
  private static final String ALL_KEYS = "*";

  private final Queue<Dispatch> dispatches = new ConcurrentLinkedQueue<>();
  private final Queue<Loss> losses = new ConcurrentLinkedQueue<>();
  private final Queue<Long> returns = new ConcurrentLinkedQueue<>();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final Map<String, Long> arrived = new ConcurrentHashMap<>();
  private final Map<String, Trips> trips = new ConcurrentHashMap<>();
  private final ThreadLocal<Long> due = new ThreadLocal<>();
  private final Consumer<String> echo;

  /** @param echo is given each line too */
  FaultDiary(Consumer<String> echo) {
    this.echo = echo;
  }

  /**
   * A call that went on.
   *
   * @param due when its slot was due at the earliest, as far as this process can know
   */
  record Dispatch(String key, long at, long due, long waited) {}

  /** The cursor could not be asked from then on, for all keys or for one. */
  record Loss(String key, long from) {
    boolean concerns(String other) {
      return key.equals(ALL_KEYS) || key.equals(other);
    }

    boolean isGeneral() {
      return key.equals(ALL_KEYS);
    }
  }

  /** Without the cursor from then to then. */
  record Absence(long from, long to) {}

  /** How old the clock's reading was in the last three answers: slots in hand are of these. */
  private record Trips(long last, long before, long earlier) {
    long longest() {
      return Math.max(last, Math.max(before, earlier));
    }
  }

  List<Dispatch> dispatches(String key) {
    return dispatches.stream().filter(dispatch -> dispatch.key().equals(key)).toList();
  }

  List<String> failures() {
    return List.copyOf(failures);
  }

  /** How often it has said since then that it has lost the cursor. */
  long lossesSince(long start) {
    return losses.stream().filter(loss -> loss.from() - start >= 0).count();
  }

  boolean isBack() {
    return losses.stream().filter(Loss::isGeneral).count() == returns.size();
  }

  /** When it was without the cursor of a key; a locked row is left alone for {@code locked}. */
  List<Absence> absences(String key, Duration locked) {
    List<Absence> absences = new ArrayList<>();
    List<Long> ends = List.copyOf(returns);
    int ended = 0;
    for (Loss loss : losses) {
      if (loss.isGeneral()) {
        absences.add(new Absence(loss.from(), ended < ends.size() ? ends.get(ended++) : System.nanoTime()));
      } else if (loss.concerns(key)) {
        absences.add(new Absence(loss.from(), loss.from() + locked.toNanos()));
      }
    }
    return absences;
  }

  @Override
  public void released(String key, Duration waited, Duration late) {
    Trips known = trips.get(key);
    due.set(System.nanoTime() - late.toNanos() - (known == null ? 0 : known.longest()));
  }

  /** The cursor's answer has come; its lane will hear of it. */
  void arrived(String key) {
    arrived.put(key, System.nanoTime());
  }

  @Override
  public void answered(String key, long asked, long granted, Duration roundTrip) {
    Long at = roundTrip.isZero() ? null : arrived.get(key);
    long age = at == null ? 0 : roundTrip.toNanos() + System.nanoTime() - at;
    trips.merge(key, new Trips(age, 0, 0), (old, now) -> new Trips(now.last(), old.last(), old.before()));
  }

  /** To be called by the call, on the thread that it goes on on. */
  void went(String key, Duration waited) {
    write("went " + key + " " + System.nanoTime() + " " + due.get() + " " + waited.toNanos());
  }

  @Override
  public void degraded(String key, Throwable why) {
    write("lost " + (key == null ? ALL_KEYS : key) + " " + System.nanoTime());
  }

  @Override
  public void recovered(Duration away, long claims) {
    write("back " + System.nanoTime());
  }

  void failed(String key, Throwable error) {
    write("failed " + key + ": " + error);
  }

  private void write(String line) {
    read(line);
    echo.accept(line);
  }

  /** Takes note of a line that some process has written. */
  void read(String line) {
    String[] words = line.split(" ");
    switch (words[0]) {
      case "went" -> dispatches.add(
          new Dispatch(words[1], Long.parseLong(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4])));
      case "lost" -> losses.add(new Loss(words[1], Long.parseLong(words[2])));
      case "back" -> returns.add(Long.parseLong(words[1]));
      case "failed" -> failures.add(line);
      default -> {} // what the process has logged
    }
  }
}
