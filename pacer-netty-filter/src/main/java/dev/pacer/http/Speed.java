package dev.pacer.http;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * How fast a number grows, over the last few times that somebody looked and it had grown: so a slow one has a rate too,
 * and one that stands still slows down. Not thread-safe.
 */
final class Speed {

  private static final int MOST = 11;
  private static final double SECOND = 1e9;

  private final Deque<Sample> samples = new ArrayDeque<>();
  private long done;
  private boolean stands;
  private double perSecond;

  /** The number at a time in nanoseconds. */
  private record Sample(long at, long done) {}

  Speed(long now) {
    samples.add(new Sample(now, 0));
  }

  /**
   * Takes a sample. Time in which the gate was shut and the number stood still is left out: it says nothing about how
   * fast it grows when the gate is open.
   */
  void sample(long now, long done, boolean shut) {
    boolean grew = done != this.done;
    stands = shut && !grew;
    this.done = done;
    if (stands) {
      samples.clear();
      return;
    }
    if (grew || samples.isEmpty()) {
      samples.add(new Sample(now, done));
    }
    if (samples.size() > MOST) {
      samples.remove();
    }
    Sample first = samples.getFirst();
    if (now - first.at() > 0) {
      perSecond = (done - first.done()) * SECOND / (now - first.at());
    }
  }

  double perSecond() {
    return perSecond;
  }

  /** How long it takes to grow by this much more, if the gate stays shut for so long. */
  Optional<Duration> eta(long rest, Duration shut) {
    if (rest <= 0) {
      return Optional.of(Duration.ZERO);
    }
    if (perSecond <= 0) {
      return Optional.empty();
    }
    Duration growing = Duration.ofNanos((long) (rest / perSecond * SECOND)); // at most 292 years
    return Optional.of(stands ? shut.plus(growing) : growing);
  }
}
