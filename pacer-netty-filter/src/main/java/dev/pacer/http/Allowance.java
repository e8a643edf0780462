package dev.pacer.http;

import java.util.Optional;

/**
 * A header that says what is left, and the one that says when it is renewed.
 *
 * @param remaining what is left; empty for a vendor that names the renewal alone, which then counts on a refusal
 *     only
 * @param count how that is written
 * @param reset when it is renewed
 * @param form how that is written
 */
public record Allowance(Optional<Field> remaining, Count count, Field reset, Form form) {

  /** What is left, as a whole number, and when it is renewed. */
  public static Allowance of(String remaining, String reset, Form form) {
    return of(Field.of(remaining), Count.WHOLE, Field.of(reset), form);
  }

  /** What is left, and when it is renewed. */
  public static Allowance of(Field remaining, Count count, Field reset, Form form) {
    return new Allowance(Optional.of(remaining), count, reset, form);
  }

  /** Only when it is renewed: a refusal that carries this header says that nothing is left. */
  public static Allowance resetOnly(String reset, Form form) {
    return new Allowance(Optional.empty(), Count.WHOLE, Field.of(reset), form);
  }
}
