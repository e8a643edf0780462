package dev.pacer.http;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.resources.ConnectionProvider;

/** Many requests, each of which is cancelled some milliseconds after it was made. */
final class Storm {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final WatchedPool watched =
      new WatchedPool("storm", pool -> pool.maxConnections(8).pendingAcquireMaxCount(-1));

  final ConnectionProvider pool = watched.provider;

  void rages(Supplier<Mono<?>> request) {
    Flux.range(0, 2_000).flatMap(n -> cancelled(request.get()), 100).then().block(SOON);
  }

  private static Mono<Void> cancelled(Mono<?> request) {
    return Mono.create(
        done -> {
          Disposable running = request.subscribe(answer -> {}, error -> {});
          Schedulers.parallel()
              .schedule(
                  () -> {
                    running.dispose();
                    done.success();
                  },
                  ThreadLocalRandom.current().nextInt(30),
                  TimeUnit.MILLISECONDS);
        });
  }

  /** No connection, or where connections carry streams, no stream. */
  void leavesNothingInUse() {
    leavesInUseAtMost(0);
  }

  void leavesInUseAtMost(int most) {
    watched.awaitInUseAtMost(most);
    pool.disposeLater().block(SOON);
  }
}
