package dev.pacer.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import reactor.core.publisher.Mono;

/** What one subscription to a {@link Sources} has met so far. Signals come one after another, so it needs no care. */
final class Trail {

  /** Some users' errors are constants, which must not collect what is suppressed for ever. */
  private static final int MOST_SUPPRESSED = 16;

  private final Predicate<Throwable> notFound;
  private final List<Throwable> met = new ArrayList<>();
  private final Map<Kind, Throwable> first = new EnumMap<>(Kind.class);

  /** The most telling one first. */
  private enum Kind {
    RATE_LIMITED,
    FINAL,
    UNREACHABLE,
    NOT_FOUND
  }

  Trail(Predicate<Throwable> notFound) {
    this.notFound = notFound;
  }

  boolean leadsTo(boolean local) {
    return local || !first.containsKey(Kind.RATE_LIMITED);
  }

  /** Empty if it may go on after this error. */
  <T> Mono<T> met(Throwable error) {
    Kind kind = add(error);
    return kind == Kind.FINAL ? end() : Mono.empty();
  }

  /** Nobody has it. */
  <T> Mono<T> end() {
    return Mono.justOrEmpty(first.values().stream().findFirst()).flatMap(error -> Mono.error(withOthers(error)));
  }

  private Kind add(Throwable error) {
    met.add(error);
    try {
      return add(kind(error), error);
    } catch (RuntimeException fault) { // the user's predicate
      met.add(fault);
      return add(Kind.FINAL, fault);
    }
  }

  private Kind add(Kind kind, Throwable error) {
    first.putIfAbsent(kind, error);
    return kind;
  }

  private Kind kind(Throwable error) {
    if (RateLimiting.in(error).isPresent()) {
      return Kind.RATE_LIMITED;
    }
    if (Causes.of(error).anyMatch(UnreachableException.class::isInstance)) {
      return Kind.UNREACHABLE;
    }
    return notFound.test(error) ? Kind.NOT_FOUND : Kind.FINAL;
  }

  private Throwable withOthers(Throwable error) {
    for (Throwable other : met) {
      Throwable[] suppressed = error.getSuppressed();
      if (other != error && suppressed.length < MOST_SUPPRESSED && !Arrays.asList(suppressed).contains(other)) {
        error.addSuppressed(other);
      }
    }
    return error;
  }
}
