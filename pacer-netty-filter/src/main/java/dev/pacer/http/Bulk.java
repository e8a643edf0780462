package dev.pacer.http;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Runs many items through one paced call, however many there are:
 *
 * <pre>{@code
 * Bulk<String, Page> bulk = Bulk.builder((String url) -> pacer.reserve("pages.example.com").then(fetch(url)))
 *     .concurrency(16)
 *     .watching(() -> pacer.remaining("pages.example.com"))
 *     .onProgress(Duration.ofSeconds(1), progress -> bar.show(progress))
 *     .build();
 * Flux<Outcome<String, Page>> outcomes = bulk.run(urls);
 * }</pre>
 *
 * <p>The call paces itself: with {@link dev.pacer.Pacer#reserve}, or by a client with {@link HttpPacing}. Each item
 * ends {@link Outcome.State#SUCCEEDED SUCCEEDED}, {@link Outcome.State#FAILED FAILED}, or, where it was rate limited as
 * {@link Sources} understands it, {@link Outcome.State#SKIPPED SKIPPED}; run those again later. An item ends no run:
 * not if its call throws, and not if it gives no {@code Mono}. In a cooldown longer than the wait budget, calls are
 * refused at once and ask nobody, so the rest of the items is soon skipped; {@code takeUntil} ends the run instead.
 *
 * <p>Thread-safe, and for any number of runs.
 *
 * @param <T> an item
 * @param <R> what the call gives
 */
public final class Bulk<T, R> {

  private final Function<? super T, ? extends Mono<? extends R>> call;
  private final int concurrency;
  private final @Nullable Watch watch;

  /** What somebody who looks on wants to be told. */
  record Watch(
      Duration every, Consumer<? super Progress> listener, Supplier<Duration> cooldownLeft, Scheduler scheduler) {}

  private Bulk(Builder<T, R> builder) {
    call = builder.call;
    concurrency = builder.concurrency;
    watch =
        builder.listener == null
            ? null
            : new Watch(builder.every, builder.listener, builder.cooldownLeft, builder.scheduler);
  }

  /** Begins with the call that every item goes through. */
  public static <T, R> Builder<T, R> builder(Function<? super T, ? extends Mono<? extends R>> call) {
    return new Builder<>(call);
  }

  /** {@link #run(Flux, long)} of nobody knows how many items. */
  public Flux<Outcome<T, R>> run(Flux<T> items) {
    return run(items, OptionalLong.empty());
  }

  /**
   * Gives the outcomes in the order in which the items end. Cold: each subscription is a run of its own.
   *
   * <p>Takes items as places become free, and goes ahead of demand by no more than the concurrency; so it holds no more
   * items than that, and its memory does not depend on their number. An error of the items is given on when what is
   * under way has ended. Cancelling cancels what is under way. Calls see the subscriber's Context.
   *
   * @param total how many items there are, for {@link Progress}
   */
  public Flux<Outcome<T, R>> run(Flux<T> items, long total) {
    if (total < 0) {
      throw new IllegalArgumentException("total must not be negative, was " + total);
    }
    return run(items, OptionalLong.of(total));
  }

  private Flux<Outcome<T, R>> run(Flux<T> items, OptionalLong total) {
    Flux<Outcome<T, R>> outcomes = items.flatMapDelayError(this::outcome, concurrency, /* prefetch= */ 1);
    Watch looking = watch;
    return looking == null
        ? outcomes
        : Flux.using(() -> new Tally(looking, total), tally -> outcomes.doOnNext(tally::count), Tally::end);
  }

  private Mono<Outcome<T, R>> outcome(T item) {
    return Mono.<R>defer(() -> call.apply(item))
        .map(result -> Outcome.<T, R>succeeded(item, result))
        .switchIfEmpty(Mono.fromSupplier(() -> Outcome.succeeded(item, null)))
        .onErrorResume(error -> Mono.just(Outcome.unserved(item, error)));
  }

  /** Builds a {@link Bulk}. Not thread-safe. */
  public static final class Builder<T, R> {

    private static final Duration LONGEST = Duration.ofDays(1);

    private final Function<? super T, ? extends Mono<? extends R>> call;
    private int concurrency = 16;
    private Duration every = Duration.ofSeconds(1);
    private @Nullable Consumer<? super Progress> listener;
    private Supplier<Duration> cooldownLeft = () -> Duration.ZERO;
    private Scheduler scheduler = Schedulers.parallel();

    private Builder(Function<? super T, ? extends Mono<? extends R>> call) {
      this.call = call;
    }

    /** How many items are under way at once, waiting for their slots included. Default: 16. */
    public Builder<T, R> concurrency(int concurrency) {
      if (concurrency < 1) {
        throw new IllegalArgumentException("concurrency must be at least 1, was " + concurrency);
      }
      this.concurrency = concurrency;
      return this;
    }

    /**
     * Is told how far each run has come: so often, and a last time when it ends, in whatever way, just before that is
     * signalled. Default: nobody.
     *
     * @param listener called from several threads, but by each run one at a time; must not block. One that throws is
     *     logged, never felt
     */
    public Builder<T, R> onProgress(Duration every, Consumer<? super Progress> listener) {
      if (every.isNegative() || every.isZero() || every.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException("every must be positive and at most " + LONGEST + ", was " + every);
      }
      this.every = every;
      this.listener = listener;
      return this;
    }

    /**
     * Where progress learns how long a gate is still shut; of several keys, the longest: {@link
     * dev.pacer.Pacer#remaining}. Default: never.
     */
    public Builder<T, R> watching(Supplier<Duration> cooldownLeft) {
      this.cooldownLeft = cooldownLeft;
      return this;
    }

    /** By whose clock progress is told, and on which. Default: {@link Schedulers#parallel()}. */
    public Builder<T, R> scheduler(Scheduler scheduler) {
      this.scheduler = scheduler;
      return this;
    }

    public Bulk<T, R> build() {
      return new Bulk<>(this);
    }
  }
}
