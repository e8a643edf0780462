package dev.pacer.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * The course of one request through the engine, in one subscription: the loop, and what it remembers between rounds.
 * It has no type of any client in it. Its signals come one after another, so its fields need no care.
 *
 * <pre>
 *   guard ──▶ slot of every key ──▶ every gate open? ──yes──▶ send ──▶ answer ──▶ pass: given to the caller
 *     ▲                                  │no                             │
 *     └──────────────────────────────────┴───────◀── body read ◀── refused, and may be sent again
 * </pre>
 *
 * <p>Around the sending there is no operator that cancels its source once it has its value: to a client, that
 * cancel means that the response is not wanted, and it takes the body away from the caller. The rounds are a {@code
 * retryWhen}, which unlike recursion keeps nothing of the rounds before.
 */
final class Course<R> {

  static final int MOST_READ = 64 * 1024;
  static final Duration LONGEST_READ = Duration.ofMillis(300);

  private static final String DROPPED = "reactor.onErrorDropped.local";

  private final HttpPacing engine;
  private final Client<R> client;
  private final RequestPacing own;
  private final boolean waits;

  private @Nullable Gates gates;
  private boolean hasFixedKey;
  private String destination = "";
  private Duration left;
  private int sends;
  private long sentAt;
  private boolean underWay;
  private @Nullable Refusal last;
  private @Nullable R given;

  Course(HttpPacing engine, Client<R> client, RequestPacing own) {
    this.engine = engine;
    this.client = client;
    this.own = own;
    this.waits = RequestPacing.either(own.mode(), engine.mode) == HttpPacing.Mode.WAIT;
    this.left = RequestPacing.either(own.maxWait(), engine.maxWait);
  }

  /** Sends until there is an answer for the caller. The sending is to wait for {@link #admit} before it begins. */
  Mono<R> run(Mono<R> sending) {
    return sending
        .onErrorResume(this::failed)
        .flatMap(this::judged)
        .doOnNext(response -> given = response)
        .retryWhen(Retry.indefinitely().filter(Again::is))
        .doOnDiscard(client.type(), this::lost);
  }

  /** Sends when it is admitted. Not with {@code then}, which would lose a response that comes with the cancel. */
  Mono<R> sendAfter(Mono<Void> admitted, Mono<R> sending) {
    return admitted.cast(client.type()).switchIfEmpty(sending);
  }

  /**
   * A response that is on its way to a caller who has just cancelled gets lost in {@code retryWhen}, which tells only
   * the hook for discarded elements. The hook hears of others as well, in which nobody here has a say.
   */
  private void lost(R response) {
    if (response.equals(given)) {
      client.letGo(response);
    }
  }

  /** The refusal after which the request is about to be sent again; null the first time. */
  @Nullable Refusal last() {
    return last;
  }

  /** Completes when the request may be sent, and then it must be sent at once. */
  Mono<Void> admit(Request request) {
    return Mono.defer(
        () -> {
          Gates before = gates;
          if (before != null) {
            return admitted(before);
          }
          List<String> keys = keys(request);
          destination = keys.isEmpty() ? "" : placeOr(keys.get(0), request);
          return admitted(begin(keys));
        });
  }

  /** The same, for a request of which nothing is known but its key. */
  Mono<Void> admit(String key) {
    return Mono.defer(
        () -> {
          Gates before = gates;
          if (before != null) {
            return admitted(before);
          }
          List<String> keys = RequestPacing.either(own.keys(), List.of(key));
          destination = keys.get(0);
          hasFixedKey = true;
          return admitted(begin(keys));
        });
  }

  private Gates begin(List<String> keys) {
    Gates mine = new Gates(engine, keys);
    gates = mine;
    return mine;
  }

  private List<String> keys(Request request) {
    List<String> mine = own.keys();
    return mine != null ? mine : Gates.distinct(engine.keys.apply(request));
  }

  private static String placeOr(String otherwise, Request request) {
    try {
      return Destination.of(request.uri()).key();
    } catch (IllegalArgumentException unknown) {
      return otherwise;
    }
  }

  /** Nothing to do for a request without keys, or if it has been admitted already, by another decoration. */
  private Mono<Void> admitted(Gates gates) {
    if (gates.isEmpty() || underWay) {
      return Mono.empty();
    }
    return Mono.defer(
            () ->
                engine
                    .guard
                    .check(destination)
                    .then(waits ? Mono.defer(() -> slots(gates)) : Mono.empty())
                    .then(Mono.defer(() -> departs(gates))))
        .retryWhen(Retry.indefinitely().filter(Again::is));
  }

  private Mono<Void> slots(Gates gates) {
    Mono<Void> all = Mono.empty();
    for (String key : gates.inOrder()) {
      all = all.then(Mono.defer(() -> slot(key)));
    }
    return all;
  }

  private Mono<Void> slot(String key) {
    if (!engine.pacing && !engine.pacer.inCooldown(key)) {
      return Mono.empty();
    }
    return engine.pacer.reserve(key, own.call(left)).doOnNext(this::waited).then();
  }

  private void waited(Duration wait) {
    Duration rest = left.minus(wait);
    left = rest.isNegative() ? Duration.ZERO : rest;
  }

  /**
   * Last thing before it is sent; another round if a gate was shut in the meantime. That is not thrown: users' hooks
   * are shown what operators catch, and may make something else of it.
   */
  private Mono<Void> departs(Gates gates) {
    if (!gates.pass(waits && engine.gate)) {
      return Mono.error(new Again());
    }
    sends++;
    sentAt = now();
    underWay = true;
    return Mono.empty();
  }

  private long now() {
    return engine.scheduler.now(TimeUnit.NANOSECONDS);
  }

  /** Whatever users' functions throw, the response is let go of. */
  private Mono<R> judged(R response) {
    Gates mine = gates;
    if (!underWay || mine == null) {
      return Mono.just(response); // it was paced elsewhere
    }
    underWay = false;
    try {
      return judge(response, mine);
    } catch (Throwable fault) {
      Exceptions.throwIfJvmFatal(fault);
      return read(response, false).flatMap(body -> Mono.error(fault));
    }
  }

  private Mono<R> judge(R response, Gates gates) {
    engine.guard.answered(destination);
    if (!engine.gate) {
      return Mono.just(response);
    }
    Client.Head head = client.head(response);
    Answer answer = answer(head, gates);
    Verdict verdict = gates.profile().verdict(answer);
    if (verdict instanceof Verdict.Stop stop && stop.refused()) {
      return refused(response, head, answer, stop, gates);
    }
    if (gates.profile().readsBody(head.status())) {
      return Mono.just(client.overheard(response, body -> gates.heard(answer.body(body))));
    }
    gates.heard(answer, verdict);
    return Mono.just(response);
  }

  /** An answer from a place that the request was redirected to says something about that one. */
  private Answer answer(Client.Head head, Gates gates) {
    String uri = head.uri();
    gates.answeredFrom(
        uri == null || hasFixedKey ? List.of() : keys(new Request(head.method(), uri, name -> List.of())));
    return new Answer(
        head.status(), head.fields(), Instant.ofEpochMilli(engine.scheduler.now(TimeUnit.MILLISECONDS)));
  }

  private Mono<R> refused(R response, Client.Head head, Answer answer, Verdict.Stop stop, Gates gates) {
    Refusal refusal = new Refusal(head.method(), head.status(), stop.figure(), sends);
    boolean again = mayRepeat(refusal) && !isTooLong(stop.figure(), gates);
    boolean bodySaysMore = gates.profile().readsBody(head.status());
    if (!again || !bodySaysMore) {
      gates.stopped(answer, stop);
    }
    if (!again || (!bodySaysMore && isTooLong(stop.figure(), gates))) {
      return givenBack(response, refusal, answer, gates);
    }
    last = refusal;
    return readAnd(new Again(), response, answer, gates);
  }

  private boolean mayRepeat(Refusal refusal) {
    return waits && sends < engine.attempts && RequestPacing.either(own.resend(), true) && engine.resend.test(refusal);
  }

  /** Whether it is certain that the rest of the budget does not last until the gates open. */
  private boolean isTooLong(Optional<Duration> figure, Gates gates) {
    return gates.remaining().compareTo(left) > 0 || figure.orElse(Duration.ZERO).compareTo(left) > 0;
  }

  /** What its body says is heard here too, if only when the caller reads it. */
  private Mono<R> givenBack(R response, Refusal refusal, Answer answer, Gates gates) {
    if (engine.onRefused == HttpPacing.OnRefused.ERROR) {
      return readAnd(new RefusedException(gates.answering(), refusal), response, answer, gates);
    }
    return Mono.just(
        gates.profile().readsBody(answer.status())
            ? client.overheard(response, body -> gates.heard(answer.body(body)))
            : response);
  }

  /** Also whoever leaves while the body is read has been told by the head to stop. */
  private Mono<R> readAnd(RuntimeException then, R response, Answer answer, Gates gates) {
    boolean bodySaysMore = gates.profile().readsBody(answer.status());
    AtomicBoolean unheard = new AtomicBoolean(bodySaysMore);
    return read(response, bodySaysMore)
        .doOnCancel(() -> hear(unheard, answer, gates))
        .flatMap(
            body -> {
              hear(unheard, answer.body(body), gates);
              return Mono.<R>error(then).hide(); // flatMap would catch it, if it saw that it is an error
            });
  }

  private static void hear(AtomicBoolean unheard, Answer answer, Gates gates) {
    if (unheard.compareAndSet(true, false)) {
      gates.heard(answer);
    }
  }

  /**
   * Reads the body, so that the connection can be used again, but neither all of it nor for long. Even if the request
   * has been cancelled by now, the body is subscribed to and cancelled: that is what lets go of the connection. So
   * there must be no {@code then} here, nor a {@code scan} with a seed, which do not subscribe to anything any more.
   * WebClient says to that by an error that its body is gone; it goes into the void, and need not be logged.
   */
  private Mono<String> read(R response, boolean wanted) {
    ByteArrayOutputStream copy = wanted ? new ByteArrayOutputStream() : null;
    return client
        .body(response, copy)
        .scan(Integer::sum)
        .takeUntil(total -> total > MOST_READ)
        .ignoreElements()
        .timeout(LONGEST_READ, engine.scheduler)
        .onErrorComplete()
        .cast(String.class)
        .switchIfEmpty(Mono.fromSupplier(() -> copy == null ? "" : copy.toString(StandardCharsets.UTF_8)))
        .contextWrite(context -> context.put(DROPPED, (Consumer<Throwable>) ignored -> {}));
  }

  private Mono<R> failed(Throwable error) {
    Gates mine = gates;
    if (!underWay || mine == null) {
      return Mono.error(error);
    }
    underWay = false;
    Client.Head head = client.headIn(error);
    if (head != null) {
      engine.guard.answered(destination);
      return engine.gate ? refusedByError(error, head, mine) : Mono.error(error);
    }
    Refusal before = last;
    if (before != null && Unreadable.isIn(error)) {
      return Mono.error(new RequestNotReplayableException(before, error));
    }
    engine.guard.failed(destination, Duration.ofNanos(Math.max(0, now() - sentAt)), error);
    return Mono.error(error);
  }

  private Mono<R> refusedByError(Throwable error, Client.Head head, Gates gates) {
    Answer answer = answer(head, gates);
    Verdict verdict = gates.profile().verdict(answer);
    gates.heard(answer, verdict);
    if (verdict instanceof Verdict.Stop stop && stop.refused()) {
      Refusal refusal = new Refusal(head.method(), head.status(), stop.figure(), sends);
      if (mayRepeat(refusal) && !isTooLong(stop.figure(), gates)) {
        last = refusal;
        return Mono.error(new Again());
      }
    }
    return Mono.error(error);
  }
}
