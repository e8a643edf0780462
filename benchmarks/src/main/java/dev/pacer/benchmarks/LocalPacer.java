package dev.pacer.benchmarks;

import dev.pacer.Pacer;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A pacer with the cursor in memory, whose callers need not wait. */
@State(Scope.Thread)
public class LocalPacer {

  /** One key has a million slots a second at best, which is less than a thread can take: it would wait. */
  private static final int KEYS = 64;

  final Pacer pacer = Pacer.builder().defaultPace(Ceiling.pace()).build();

  private final String[] keys = IntStream.range(0, KEYS).mapToObj(i -> "key-" + i).toArray(String[]::new);
  private int next;

  String nextKey() {
    next = (next + 1) % KEYS;
    return keys[next];
  }

  @TearDown
  public void close() {
    pacer.close();
  }
}
