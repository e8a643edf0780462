package dev.pacer.benchmarks;

import dev.pacer.Cursor;
import dev.pacer.Gcra;
import dev.pacer.Pacer;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What pacer costs by itself, without a database.
 *
 * <p>{@code java -jar benchmarks/target/benchmarks.jar LocalLatency -prof gc}
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LocalLatency {

  /** A reservation that need not wait, of the cursor in memory. */
  @Benchmark
  public @Nullable Duration reserve(Paced paced) {
    return paced.pacer.reserve(paced.nextKey()).block();
  }

  /** The step that a cursor must make atomic, from a cursor that is not idle. */
  @Benchmark
  public Cursor.Row arithmetic(Arithmetic arithmetic) throws Throwable {
    return arithmetic.take();
  }

  /** A pacer with the cursor in memory. */
  @State(Scope.Thread)
  public static class Paced {

    /** One key has a million slots a second at best, which is less than a thread can take: it would wait. */
    private static final int KEYS = 64;

    private final String[] keys = IntStream.range(0, KEYS).mapToObj(i -> "key-" + i).toArray(String[]::new);
    private final Pacer pacer = Pacer.builder().defaultPace(Ceiling.pace()).build();
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

  /** A cursor of its own. */
  @State(Scope.Thread)
  public static class Arithmetic {

    /** The library keeps it to itself. A constant handle costs nothing. */
    private static final MethodHandle TAKE = take(MethodHandles.lookup());

    /** A microsecond, in 256ths of a nanosecond. */
    private final Gcra gcra = new Gcra(256_000, 1);

    private final Cursor.Claim claim = new Cursor.Claim("hot", gcra, 64, 1, 100_000, 1_000_000_000, 0, 900_000_000_000L);
    private Cursor.Row row = new Cursor.Row(1_000, 0, 0, 0, false, Cursor.Gate.OPEN);

    private static MethodHandle take(MethodHandles.Lookup mine) {
      MethodType type = MethodType.methodType(Cursor.Row.class, Cursor.Row.class, long.class, Cursor.Claim.class);
      try {
        return MethodHandles.privateLookupIn(Gcra.class, mine).findStatic(Gcra.class, "take", type);
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("Gcra has changed", e);
      }
    }

    Cursor.Row take() throws Throwable {
      row = (Cursor.Row) TAKE.invokeExact(row, row.cursor() - 500, claim);
      return row;
    }
  }
}
