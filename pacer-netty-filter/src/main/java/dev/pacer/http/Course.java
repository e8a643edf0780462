package dev.pacer.http;

import dev.pacer.Cursor;
import dev.pacer.Pacer;
import dev.pacer.Sent;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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

  private static final Logger LOG = LoggerFactory.getLogger(HttpPacing.class);

  static final int MOST_READ = 64 * 1024;
  static final Duration LONGEST_READ = Duration.ofMillis(300);

  /** A generation before all others: such a stop shuts the gate and counts no strike. */
  private static final long BEFORE_ALL = -1;

  private final HttpPacing engine;
  private final Client<R> client;
  private final RequestPacing own;
  private final Pacer pacer;
  private final boolean waits;

  /** The keys of the request, and the keys whose gates it must pass too since it was redirected to there. */
  private List<String> asked = List.of();

  private final Set<String> beyond = new LinkedHashSet<>();

  /** The keys of the place that the last answer came from. */
  private List<String> answering = List.of();

  private boolean hasFixedKey;
  private String destination = "";
  private List<Sent> sent = List.of();
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
    this.pacer = engine.pacer;
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
          if (asked.isEmpty()) {
            asked = keys(request);
            destination = asked.isEmpty() ? "" : placeOr(asked.get(0), request);
          }
          return admitted();
        });
  }

  /** The same, for a request of which nothing is known but its key. */
  Mono<Void> admit(String key) {
    return Mono.defer(
        () -> {
          if (asked.isEmpty()) {
            asked = RequestPacing.either(own.keys(), List.of(key));
            destination = asked.get(0);
            hasFixedKey = true;
          }
          return admitted();
        });
  }

  private List<String> keys(Request request) {
    List<String> mine = own.keys();
    return mine != null ? mine : engine.keys.apply(request).stream().distinct().toList();
  }

  private static String placeOr(String otherwise, Request request) {
    try {
      return Destination.of(request.uri()).key();
    } catch (IllegalArgumentException unknown) {
      return otherwise;
    }
  }

  /** Nothing to do for a request without keys, or if it has been admitted already, by another decoration. */
  private Mono<Void> admitted() {
    if (asked.isEmpty() || underWay) {
      return Mono.empty();
    }
    return Mono.defer(() -> engine.guard.check(destination).then(slots()).then(Mono.<Void>fromRunnable(this::departs)))
        .retryWhen(Retry.indefinitely().filter(Again::is));
  }

  private Mono<Void> slots() {
    return Mono.defer(
        () -> {
          Mono<Void> all = Mono.empty();
          for (String key : inOrder()) {
            all = all.then(Mono.defer(() -> slot(key)));
          }
          return all;
        });
  }

  /** In the order of the keys, and those whose gates are shut before the others. */
  private List<String> inOrder() {
    if (!waits) {
      return List.of();
    }
    Comparator<String> gate = Comparator.comparing(pacer::remaining);
    return keys().sorted(gate.reversed().thenComparing(Comparator.naturalOrder())).toList();
  }

  private Stream<String> keys() {
    return Stream.concat(asked.stream(), beyond.stream()).distinct();
  }

  private Mono<Void> slot(String key) {
    if (!engine.pacing && !pacer.inCooldown(key)) {
      return Mono.empty();
    }
    return pacer.reserve(key, own.call(left)).doOnNext(this::waited).then();
  }

  private void waited(Duration wait) {
    Duration rest = left.minus(wait);
    left = rest.isNegative() ? Duration.ZERO : rest;
  }

  /** Last thing before it is sent; another round if a gate was shut in the meantime. */
  private void departs() {
    List<Sent> departing = new ArrayList<>();
    for (String key : keys().toList()) {
      Sent one = pacer.sending(key);
      if (one == null && waits && engine.gate) {
        throw new Again();
      }
      departing.add(one == null ? new Sent(key, BEFORE_ALL) : one);
    }
    sent = departing;
    sends++;
    sentAt = now();
    underWay = true;
  }

  private long now() {
    return engine.scheduler.now(TimeUnit.NANOSECONDS);
  }

  /** Whatever users' functions throw, the response is let go of. */
  private Mono<R> judged(R response) {
    if (!underWay) {
      return Mono.just(response); // it was paced elsewhere
    }
    underWay = false;
    try {
      return judge(response);
    } catch (RuntimeException fault) {
      return read(response, false).flatMap(body -> Mono.error(fault));
    }
  }

  private Mono<R> judge(R response) {
    engine.guard.answered(destination);
    if (!engine.gate) {
      return Mono.just(response);
    }
    Client.Head head = client.head(response);
    Answer answer = answer(head);
    if (profile().verdict(answer) instanceof Verdict.Stop stop && stop.refused()) {
      return refused(response, head, answer, stop);
    }
    if (profile().readsBody(head.status())) {
      return Mono.just(client.overheard(response, body -> heard(answer.body(body))));
    }
    heard(answer);
    return Mono.just(response);
  }

  private Answer answer(Client.Head head) {
    String uri = head.uri();
    answering = asked;
    if (uri != null && own.keys() == null && !hasFixedKey) {
      List<String> there = keys(new Request(head.method(), uri, name -> List.of()));
      answering = there.isEmpty() ? asked : there;
    }
    return new Answer(
        head.status(), head.fields(), Instant.ofEpochMilli(engine.scheduler.now(TimeUnit.MILLISECONDS)));
  }

  private VendorProfile profile() {
    return engine.profile(answering.get(0));
  }

  private Mono<R> refused(R response, Client.Head head, Answer answer, Verdict.Stop stop) {
    Refusal refusal = new Refusal(head.method(), head.status(), stop.figure(), sends);
    boolean again = mayRepeat(refusal);
    boolean bodySaysMore = profile().readsBody(head.status());
    if (!again || !bodySaysMore) {
      stopped(answer, stop);
    }
    if (!again || isTooLong(stop.figure())) {
      return givenBack(response, refusal);
    }
    last = refusal;
    return read(response, bodySaysMore)
        .flatMap(
            body -> {
              if (bodySaysMore) {
                heard(answer.body(body));
              }
              return Mono.error(new Again());
            });
  }

  private boolean mayRepeat(Refusal refusal) {
    return waits && sends < engine.attempts && RequestPacing.either(own.resend(), true) && engine.resend.test(refusal);
  }

  /** Whether it is certain that the rest of the budget does not last until the gates open. */
  private boolean isTooLong(Optional<Duration> figure) {
    Duration shut = keys().map(pacer::remaining).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
    return shut.compareTo(left) > 0 || figure.orElse(Duration.ZERO).compareTo(left) > 0;
  }

  private Mono<R> givenBack(R response, Refusal refusal) {
    if (engine.onRefused == HttpPacing.OnRefused.RESPONSE) {
      return Mono.just(response);
    }
    return read(response, false).flatMap(body -> Mono.error(new RefusedException(answering.get(0), refusal)));
  }

  /**
   * Reads the body, so that the connection can be used again, but neither all of it nor for long. Even if the request
   * has been cancelled by now, the body is subscribed to and cancelled: that is what lets go of the connection. So
   * there must be no {@code then} here, nor a {@code scan} with a seed, which do not subscribe to anything any more.
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
        .switchIfEmpty(Mono.fromSupplier(() -> copy == null ? "" : copy.toString(StandardCharsets.UTF_8)));
  }

  /** What an answer means for the gates. */
  private void heard(Answer answer) {
    Verdict verdict = profile().verdict(answer);
    if (verdict instanceof Verdict.Stop stop) {
      stopped(answer, stop);
    } else {
      sent.forEach(pacer::succeeded);
    }
  }

  private void stopped(Answer answer, Verdict.Stop stop) {
    if (!stop.refused()) {
      sent.forEach(pacer::succeeded);
    }
    for (String key : engine.stops.apply(answering, answer)) {
      if (asked.contains(key) || beyond.contains(key)) {
        stop(key, stop);
      } else {
        stopBeyond(key, stop);
      }
    }
  }

  /** A place that the request was redirected to may have no pace, and then it has no gate either. */
  private void stopBeyond(String key, Verdict.Stop stop) {
    try {
      stop(key, stop);
      beyond.add(key);
    } catch (IllegalArgumentException noPace) {
      LOG.debug("Redirected to \"{}\", which is not paced and whose refusal shuts no gate", key, noPace);
    }
  }

  private void stop(String key, Verdict.Stop stop) {
    Duration figure = stop.figure().orElse(null);
    if (stop.refused()) {
      pacer.coolDown(sent(key), figure);
    }
    Duration floor = figure == null ? profile().leastBackoff() : stop.refused() ? Duration.ZERO : figure;
    if (!floor.isZero()) {
      pacer.coolDown(new Sent(key, BEFORE_ALL), floor);
    }
  }

  private Sent sent(String key) {
    return sent.stream()
        .filter(one -> one.key().equals(key))
        .findFirst()
        .orElseGet(() -> new Sent(key, Cursor.Stop.UNKNOWN));
  }

  private Mono<R> failed(Throwable error) {
    if (!underWay) {
      return Mono.error(error);
    }
    underWay = false;
    Client.Head head = client.headIn(error);
    if (head != null) {
      engine.guard.answered(destination);
      return engine.gate ? refusedByError(error, head) : Mono.error(error);
    }
    Refusal before = last;
    if (before != null && Unreadable.isIn(error)) {
      return Mono.error(new RequestNotReplayableException(before, error));
    }
    engine.guard.failed(destination, Duration.ofNanos(Math.max(0, now() - sentAt)), error);
    return Mono.error(error);
  }

  private Mono<R> refusedByError(Throwable error, Client.Head head) {
    Answer answer = answer(head);
    heard(answer);
    if (profile().verdict(answer) instanceof Verdict.Stop stop && stop.refused()) {
      Refusal refusal = new Refusal(head.method(), head.status(), stop.figure(), sends);
      if (mayRepeat(refusal) && !isTooLong(stop.figure())) {
        last = refusal;
        return Mono.error(new Again());
      }
    }
    return Mono.error(error);
  }
}
