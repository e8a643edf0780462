package dev.pacer.http;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Leaves destinations alone that cannot be reached. A transport error opens an outage of 30 s, in which requests to that
 * destination fail at once with an {@link UnreachableException}; each further round that fails lasts twice as long, at
 * most 300 s. Any answer, whatever its status, ends it. Known to this process only.
 *
 * <p>Requests that were under way when an outage began and fail later belong to it, and open no further round. When a
 * round is over, all requests are let pass until the first of them fails.
 *
 * <p>Thread-safe. Keeps a few words for each destination that is unreachable.
 */
public final class UnreachableGuard implements Guard {

  private static final Logger LOG = LoggerFactory.getLogger(UnreachableGuard.class);
  private static final Duration FIRST = Duration.ofSeconds(30);
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final int MANY = 1_000;

  private final ConcurrentHashMap<String, Outage> outages = new ConcurrentHashMap<>();
  private final Scheduler clock;
  private final Predicate<Throwable> counts;
  private final Duration first;
  private final Duration longest;
  private volatile int many = MANY;

  /** One round, in the clock's nanoseconds. */
  private record Outage(int round, long since, long until, Throwable cause) {}

  private UnreachableGuard(Scheduler clock, Predicate<Throwable> counts, Duration first, Duration longest) {
    if (first.isNegative() || first.isZero() || first.compareTo(longest) > 0) {
      throw new IllegalArgumentException("first must be positive and at most " + longest + ", was " + first);
    }
    this.clock = clock;
    this.counts = counts;
    this.first = first;
    this.longest = longest;
  }

  /** With 30 s, at most 300 s, and {@link #isUnreachable}. */
  public static UnreachableGuard create() {
    return new UnreachableGuard(Schedulers.parallel(), UnreachableGuard::isUnreachable, FIRST, LONGEST);
  }

  /** The same with other rounds, at most a day long. */
  public UnreachableGuard rounds(Duration first, Duration longest) {
    Duration day = Duration.ofDays(1);
    return new UnreachableGuard(clock, counts, first, longest.compareTo(day) > 0 ? day : longest);
  }

  /** The same with another opinion on which errors mean that a destination is unreachable. */
  public UnreachableGuard counting(Predicate<Throwable> counts) {
    return new UnreachableGuard(clock, counts, first, longest);
  }

  /** The same by the clock of a scheduler. */
  public UnreachableGuard clock(Scheduler clock) {
    return new UnreachableGuard(clock, counts, first, longest);
  }

  /**
   * Whether an error, or a cause of it, is one of transport: no connection, no address, no handshake, no answer in
   * time. A connection that was closed early is not: one that was idle in a pool for too long ends like this, and the
   * next may be fine. Nor is a lack of connections on this side, nor that some other destination is left alone.
   */
  public static boolean isUnreachable(Throwable error) {
    int depth = 0;
    for (Throwable cause = error; cause != null && depth < 16; cause = cause.getCause(), depth++) {
      String name = cause.getClass().getSimpleName();
      if (cause instanceof UnreachableException
          || name.equals("PrematureCloseException")
          || name.equals("AbortedException")
          || name.startsWith("PoolAcquire")) {
        return false;
      }
      if (cause instanceof IOException || name.equals("ReadTimeoutException")) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Mono<Void> check(String destination) {
    Outage outage = outages.get(destination);
    long left = outage == null ? 0 : outage.until() - now();
    return outage == null || left <= 0
        ? Mono.empty()
        : Mono.error(new UnreachableException(destination, Duration.ofNanos(left), outage.cause()));
  }

  @Override
  public void answered(String destination) {
    if (!outages.isEmpty() && outages.remove(destination) != null) {
      LOG.debug("\"{}\" can be reached again", destination);
    }
  }

  @Override
  public void failed(String destination, Duration took, Throwable error) {
    if (!counts.test(error)) {
      return;
    }
    long now = now();
    if (outages.size() >= many) {
      outages.values().removeIf(outage -> isForgotten(outage, now));
      many = Math.max(MANY, 2 * outages.size()); // else each failure looks through all that are still remembered
    }
    Outage outage = outages.compute(destination, (place, old) -> next(old, now - took.toNanos(), now, error));
    if (outage.since() == now && outage.cause().equals(error)) {
      tell(destination, outage, error);
    }
  }

  private Outage next(@Nullable Outage outage, long began, long now, Throwable error) {
    if (outage != null && began - outage.until() < 0) {
      return outage; // it was sent before this round was over, so it is no news
    }
    int round = outage == null || isForgotten(outage, now) ? 1 : outage.round() + 1;
    long nanos = Math.min(longest.toNanos(), first.toNanos() << Math.min(round - 1, 16));
    return new Outage(round, now, now + nanos, error);
  }

  private boolean isForgotten(Outage outage, long now) {
    return now - outage.until() > longest.toNanos();
  }

  private void tell(String destination, Outage outage, Throwable error) {
    Duration wait = Duration.ofNanos(outage.until() - outage.since());
    if (outage.round() == 1) {
      LOG.info("\"{}\" is unreachable and left alone for {}: {}", destination, wait, error.toString());
    } else {
      LOG.debug("\"{}\" is still unreachable and left alone for {}", destination, wait, error);
    }
  }

  private long now() {
    return clock.now(TimeUnit.NANOSECONDS);
  }
}
