package dev.pacer.http;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * Vendor A, else vendor B, else something local:
 *
 * <pre>{@code
 * Mono<Image> image = Sources.of(() -> vendorA.fetch(id))
 *     .or(() -> vendorB.fetch(id))
 *     .orLocal(() -> cache.read(id))
 *     .mono();
 * }</pre>
 *
 * <p>A source that does not have it (it is empty, or fails with what counts as {@linkplain #notFound not found}), or
 * that has been unreachable for a while ({@link UnreachableException}), is followed by the next one. A source that is
 * rate limited is followed only by local ones: who is refused by one vendor does not take the same work to another.
 * That is so for a {@link dev.pacer.RateLimitedException}, a {@link RefusedException}, a {@link
 * RequestNotReplayableException} and WebClient's error of a status that {@link Vendors#GENERIC} takes for a refusal,
 * also where they are the cause of another error, and whatever counts as not found. Any other error is final. A
 * response is a value, whatever its status: let the client make errors of refusals ({@link
 * HttpPacing.OnRefused#ERROR}, or WebClient's {@code retrieve()}).
 *
 * <p>If no source has it, the first rate limiting is the error; else the final error; else the first that was
 * unreachable, as nobody knows what it has; else the first that said not found. The others are attached to it as
 * suppressed. It is empty only if all sources were.
 *
 * <p>Immutable and thread-safe, if its sources are.
 *
 * @param <T> what is looked for
 */
public final class Sources<T> {

  private static final int NOT_FOUND = 404;
  private static final int GONE = 410;

  private final List<Step<T>> steps;
  private final Predicate<Throwable> notFound;

  private record Step<T>(Supplier<? extends Mono<? extends T>> source, boolean local) {}

  private Sources(List<Step<T>> steps, Predicate<Throwable> notFound) {
    this.steps = steps;
    this.notFound = notFound;
  }

  /** Begins with a source on the network. It is called when it is its turn, once for each subscription. */
  public static <T> Sources<T> of(Supplier<? extends Mono<? extends T>> source) {
    return new Sources<>(List.of(new Step<T>(source, /* local= */ false)), Sources::isNotFound);
  }

  /** Begins with a local source. */
  public static <T> Sources<T> ofLocal(Supplier<? extends Mono<? extends T>> source) {
    return new Sources<>(List.of(new Step<T>(source, /* local= */ true)), Sources::isNotFound);
  }

  /** The same with a further source on the network. It is not called once a source before it was rate limited. */
  public Sources<T> or(Supplier<? extends Mono<? extends T>> source) {
    return and(new Step<>(source, /* local= */ false));
  }

  /** The same with a further source that asks no vendor. It is also called when a source before it was rate limited. */
  public Sources<T> orLocal(Supplier<? extends Mono<? extends T>> source) {
    return and(new Step<>(source, /* local= */ true));
  }

  private Sources<T> and(Step<T> step) {
    List<Step<T>> more = new ArrayList<>(steps);
    more.add(step);
    return new Sources<>(List.copyOf(more), notFound);
  }

  /** The same with another opinion on which errors mean that a source does not have it; for all its sources. */
  public Sources<T> notFound(Predicate<Throwable> notFound) {
    return new Sources<>(steps, notFound);
  }

  /** Whether this is WebClient's error of status 404 or 410. */
  public static boolean isNotFound(Throwable error) {
    return WebErrors.head(error).filter(head -> head.status() == NOT_FOUND || head.status() == GONE).isPresent();
  }

  /**
   * Asks the sources in their order. Cold: nothing is called before the subscription, and each subscription begins
   * with the first source. Cancelling cancels the source that is being asked, and none is asked after it. All see the
   * subscriber's Context.
   */
  public Mono<T> mono() {
    return Mono.defer(
        () -> {
          Trail trail = new Trail(notFound);
          Mono<T> rest = Mono.defer(trail::end);
          for (int i = steps.size() - 1; i >= 0; i--) {
            rest = ask(steps.get(i), trail).switchIfEmpty(rest);
          }
          return rest;
        });
  }

  private static <T> Mono<T> ask(Step<T> step, Trail trail) {
    return Mono.<T>defer(() -> trail.leadsTo(step.local()) ? step.source().get() : Mono.empty())
        .onErrorResume(trail::met);
  }
}
