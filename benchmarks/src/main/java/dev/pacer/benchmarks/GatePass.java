package dev.pacer.benchmarks;

import dev.pacer.Pacer;
import dev.pacer.Sent;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/**
 * What the gate costs those who pass it, ask about it, or shut it, without a database. {@link LocalLatency#lane} is the
 * same as the first of them where there has never been a cooldown.
 *
 * <p>{@code java -jar benchmarks/target/benchmarks.jar GatePass -prof gc}
 */
public class GatePass extends JmhSettings {

  private static final String SHUT = "shut";
  private static final String STOPPED = "stopped";
  private static final Duration LONG = Duration.ofHours(1);

  /** Through a gate that was shut once, is open again, and has recovered. */
  @Benchmark
  public void reserveOpenAgain(Gates gates, Blackhole hole) {
    gates.pacer.reserve(gates.nextKey()).subscribe(new Swallower(hole));
  }

  @Benchmark
  public void whenOpenIsOpen(Gates gates, Blackhole hole) {
    gates.pacer.whenOpen(gates.nextKey()).subscribe(new Swallower(hole));
  }

  @Benchmark
  public boolean inCooldownIsOpen(Gates gates) {
    return gates.pacer.inCooldown(gates.nextKey());
  }

  @Benchmark
  public boolean inCooldownIsShut(Gates gates) {
    return gates.pacer.inCooldown(SHUT);
  }

  /** What a caller asks last thing before it sends. */
  @Benchmark
  public @Nullable Sent sending(Gates gates) {
    return gates.pacer.sending(gates.nextKey());
  }

  /** A good answer, of which nothing has to be learnt: what nearly all answers cost. */
  @Benchmark
  public void succeeded(Gates gates) {
    gates.pacer.succeeded(gates.nextKey());
  }

  /** A stop that begins a cooldown of its own, and is told the cursor. */
  @Benchmark
  public void coolDown(Gates gates) {
    gates.pacer.coolDown(STOPPED, LONG);
  }

  /** One of many answers to calls that were sent before the cooldown: it says nothing new. */
  @Benchmark
  public void coolDownAgain(Gates gates) {
    gates.pacer.coolDown(gates.before, Duration.ZERO);
  }

  /** A pacer with the cursor in memory, and keys that have been through a cooldown. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls the set-up
  public static class Gates {

    /** As many as {@link LocalPacer} has, and for the same reason. */
    private static final int KEYS = 64;

    private static final Duration SHORT = Duration.ofMillis(1);

    private final Pacer pacer = Pacer.builder().defaultPace(Ceiling.pace()).build();
    private final String[] keys = IntStream.range(0, KEYS).mapToObj(i -> "key-" + i).toArray(String[]::new);
    private Sent before;
    private int next;

    @Setup
    public void shutOnce() {
      for (String key : keys) {
        pacer.coolDown(key, SHORT);
      }
      for (String key : keys) {
        pacer.whenOpen(key).block();
        while (pacer.gate(key).strikes() > 0 || pacer.gate(key).widening() > 0) {
          pacer.succeeded(key);
        }
      }
      pacer.reserve(SHUT).block();
      before = Objects.requireNonNull(pacer.sending(SHUT), "the gate is open");
      pacer.coolDown(SHUT, LONG);
    }

    String nextKey() {
      next = (next + 1) % KEYS;
      return keys[next];
    }

    @TearDown
    public void close() {
      pacer.close();
    }
  }
}
