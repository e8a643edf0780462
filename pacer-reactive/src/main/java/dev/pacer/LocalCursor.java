package dev.pacer;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** Cursors in memory: one process, no database, the same arithmetic. */
final class LocalCursor implements Cursor {

  private static final Row NEVER_USED = new Row(0, 0, 0, 0, false);

  private final ConcurrentHashMap<String, Row> rows = new ConcurrentHashMap<>();
  private final Scheduler clock;
  private final long origin;

  LocalCursor(Scheduler clock) {
    this.clock = clock;
    this.origin = clock.now(TimeUnit.NANOSECONDS);
  }

  @Override
  public Mono<Grant> take(Claim claim) {
    return Mono.fromSupplier(() -> claim.grant(rows.compute(claim.key(), (key, row) -> step(row, claim)), 0));
  }

  private Row step(@Nullable Row row, Claim claim) {
    Row before = row == null ? NEVER_USED : row;
    return claim.gcra().take(before.cursor(), before.seq(), now(), claim);
  }

  @Override
  public Mono<Boolean> giveBack(Refund refund) {
    return Mono.fromSupplier(
        () -> {
          Row row = rows.computeIfPresent(refund.key(), (key, now) -> back(now, refund));
          return row != null && row.cursor() == refund.to() && row.seq() == refund.seq() + 1;
        });
  }

  private static Row back(Row row, Refund refund) {
    return row.cursor() == refund.cursor() && row.seq() == refund.seq()
        ? new Row(refund.to(), 0, row.readAt(), row.seq() + 1, false)
        : row;
  }

  @Override
  public Mono<Long> peek(String key) {
    return Mono.fromSupplier(() -> rows.getOrDefault(key, NEVER_USED).cursor() - now());
  }

  /** A cursor in the past is worth no more than none. */
  @Override
  public void forget(String key) {
    rows.computeIfPresent(key, (k, row) -> row.cursor() <= now() ? null : row);
  }

  @Override
  public Mono<Void> close() {
    return Mono.empty();
  }

  int size() {
    return rows.size();
  }

  private long now() {
    return clock.now(TimeUnit.NANOSECONDS) - origin;
  }
}
