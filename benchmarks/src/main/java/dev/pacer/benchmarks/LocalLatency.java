package dev.pacer.benchmarks;

import dev.pacer.Cursor;
import dev.pacer.Gcra;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/**
 * What pacer costs by itself, without a database.
 *
 * <p>{@code java -jar benchmarks/target/benchmarks.jar LocalLatency -prof gc}
 */
public class LocalLatency extends JmhSettings {

  /** A reservation that need not wait, of the cursor in memory. */
  @Benchmark
  public @Nullable Duration reserve(LocalPacer local) {
    return local.pacer.reserve(local.nextKey()).block();
  }

  /** The same by a subscriber who has nothing to wait with: what the lane costs. */
  @Benchmark
  public void lane(LocalPacer local, Blackhole hole) {
    local.pacer.reserve(local.nextKey()).subscribe(new Swallower(hole));
  }

  /** The step that a cursor must make atomic, from a cursor that is not idle. */
  @Benchmark
  public Cursor.Row arithmetic(Arithmetic arithmetic) throws Throwable {
    return arithmetic.take();
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
