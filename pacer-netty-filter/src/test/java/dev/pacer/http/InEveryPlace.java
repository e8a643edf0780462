package dev.pacer.http;

import java.time.Instant;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs a class of tests once in each of the {@link Places}. */
@ParameterizedClass
@EnumSource(Places.class)
abstract class InEveryPlace {

  /** The answer's {@code Date} in all cases that do not say otherwise, and its epoch seconds. */
  static final String DATE = "Thu, 01 Jan 2026 00:00:00 GMT";

  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static Runnable back = () -> {};

  InEveryPlace(Places place) {}

  @BeforeParameterizedClassInvocation
  static void go(Places place) {
    back = place.move();
  }

  @AfterParameterizedClassInvocation
  static void comeBack() {
    back.run();
  }
}
