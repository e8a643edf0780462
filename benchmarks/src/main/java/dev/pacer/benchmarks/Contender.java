package dev.pacer.benchmarks;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/**
 * Somebody who reserves through a shared store, for so many callers.
 *
 * @param opening connects; called once per turn
 */
record Contender(String name, int callers, Callable<Match> opening) {

  /** A contender at work. */
  interface Match extends AutoCloseable {

    Mono<?> reserve();

    /** How often the store was visited so far: statements of pacer, transactions of Bucket4j; not a number if unknown. */
    default double visits() {
      return Double.NaN;
    }

    /** Answers of the store so far; not a number where nothing counts them. */
    double roundTrips();

    /** Connections that are being used at this moment, or were at most so far; not a number if unknown. */
    default double connectionsBusy() {
      return Double.NaN;
    }

    /** Threads that wait for a connection at this moment. */
    default int threadsAwaiting() {
      return 0;
    }

    /** How often it gave up the store for a while, and paced without it: then it was faster than it is. */
    default int degraded() {
      return 0;
    }

    @Override
    void close();
  }

  /** Under another name, where the number of callers is none of it. */
  Contender named(String other) {
    return new Contender(other, callers, opening);
  }

  Match open() throws Exception {
    return opening.call();
  }

  static List<String> keys(int count) {
    return count == 1 ? List.of("hot") : IntStream.range(0, count).mapToObj(i -> "key-" + i).toList();
  }

  static String any(List<String> keys) {
    return keys.size() == 1 ? keys.get(0) : keys.get(ThreadLocalRandom.current().nextInt(keys.size()));
  }
}
