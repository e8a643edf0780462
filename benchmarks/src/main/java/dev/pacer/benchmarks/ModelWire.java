package dev.pacer.benchmarks;

import dev.pacer.Cursor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;

/**
 * One process's connection to a {@link ModelDatabase}, on which it does as the real one does: one statement at a time,
 * and claims that wait for their turn go together in one.
 */
final class ModelWire implements Cursor {

  private static final int MOST_TOGETHER = 512;

  private final ModelDatabase database;
  private final VirtualTime time;
  private final Queue<Question<?>> claims = new ArrayDeque<>();
  private final Queue<Question<?>> others = new ArrayDeque<>();
  private final Sinks.Many<Notice> notices = Sinks.many().multicast().directBestEffort();
  private boolean busy;

  ModelWire(ModelDatabase database, VirtualTime time) {
    this.database = database;
    this.time = time;
  }

  /** What is to be done with a key's row, who waits for it, and what came of it. */
  private static final class Question<T> {

    final String key;
    private final Mono<T> step;
    private final MonoSink<T> sink;
    private @Nullable T answer;

    Question(String key, Mono<T> step, MonoSink<T> sink) {
      this.key = key;
      this.step = step;
      this.sink = sink;
    }

    void step() {
      answer = step.block(); // of a cursor in memory, which has the answer at once
    }

    void answer() {
      sink.success(Objects.requireNonNull(answer, key));
    }
  }

  private <T> Mono<T> ask(Queue<Question<?>> queue, String key, Mono<T> step) {
    return Mono.create(
        sink -> {
          queue.add(new Question<>(key, step, sink));
          next();
        });
  }

  private void next() {
    List<Question<?>> statement = new ArrayList<>();
    Queue<Question<?>> queue = others.isEmpty() ? claims : others;
    int most = others.isEmpty() ? MOST_TOGETHER : 1;
    while (!busy && !queue.isEmpty() && statement.size() < most) {
      statement.add(queue.remove());
    }
    if (!statement.isEmpty()) {
      busy = true;
      List<String> keys = statement.stream().map(question -> question.key).toList();
      database.carryOut(keys, () -> statement.forEach(Question::step), () -> answered(statement));
    }
  }

  private void answered(List<Question<?>> statement) {
    busy = false;
    statement.forEach(Question::answer);
    next();
  }

  void hear(Notice notice) {
    notices.tryEmitNext(notice);
  }

  @Override
  public Mono<Grant> take(Claim claim) {
    return Mono.defer(
        () -> {
          long askedAt = time.nanos();
          return ask(claims, claim.key(), database.rows().take(claim))
              .map(grant -> after(time.nanos() - askedAt, grant));
        });
  }

  private static Grant after(long roundTripNanos, Grant grant) {
    return new Grant(
        grant.permits(),
        grant.waitNanos(),
        grant.start(),
        grant.gcra(),
        grant.seq(),
        grant.clamped(),
        grant.cooldown(),
        roundTripNanos);
  }

  @Override
  public Mono<Boolean> giveBack(Refund refund) {
    return ask(others, refund.key(), database.rows().giveBack(refund));
  }

  @Override
  public Mono<Standing> peek(String key) {
    return ask(others, key, database.rows().peek(key));
  }

  @Override
  public Mono<Cooldown> coolDown(Stop stop) {
    Mono<Cooldown> step =
        database.rows().coolDown(stop).doOnNext(shut -> database.tell(new Notice(stop.key(), shut)));
    return ask(others, stop.key(), step);
  }

  @Override
  public Mono<Cooldown> relax(Relief relief) {
    return ask(others, relief.key(), database.rows().relax(relief));
  }

  @Override
  public Flux<Notice> notices() {
    return notices.asFlux();
  }

  @Override
  public Mono<Void> close() {
    return Mono.empty();
  }
}
