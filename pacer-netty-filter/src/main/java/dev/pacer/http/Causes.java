package dev.pacer.http;

import java.util.Objects;
import java.util.stream.Stream;

/** An error and what caused it, from the outside in. Ends also where causes go round in a circle. */
final class Causes {

  private static final int MOST = 32;

  private Causes() {}

  static Stream<Throwable> of(Throwable error) {
    return Stream.iterate(error, Objects::nonNull, Throwable::getCause).limit(MOST);
  }
}
