package dev.pacer.crac;

import dev.pacer.Pacer;
import java.time.Duration;
import org.crac.Context;
import org.crac.Core;
import org.crac.Resource;
import reactor.core.publisher.Mono;

/**
 * Suspends a pacer while the process is checkpointed and restored (CRaC): {@code Checkpoints.guard(pacer)}. Before a
 * checkpoint the slots in hand are dropped and the connection is closed; after the restore, calls that wait go on with
 * slots taken anew. Netty's event loops are not the pacer's to stop: see what your framework does about them.
 *
 * <p>Needs {@code org.crac:crac}. On a JVM that has no checkpoints this does nothing.
 */
public final class Checkpoints implements Resource {

  /** Longer than a connection takes to close. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Pacer pacer;

  private Checkpoints(Pacer pacer) {
    this.pacer = pacer;
  }

  /**
   * Registers the pacer for all checkpoints to come. The registry keeps it only weakly, so the caller has to keep what
   * is returned for as long as the pacer.
   */
  public static Checkpoints guard(Pacer pacer) {
    Checkpoints guard = new Checkpoints(pacer);
    Core.getGlobalContext().register(guard);
    return guard;
  }

  /** By the JVM alone, on a thread of its own that may wait. */
  @Override
  public void beforeCheckpoint(Context<? extends Resource> context) throws Exception {
    Mono<Void> suspended = pacer.suspend().timeout(PATIENCE);
    suspended.toFuture().get();
  }

  @Override
  public void afterRestore(Context<? extends Resource> context) {
    pacer.resume();
  }
}
