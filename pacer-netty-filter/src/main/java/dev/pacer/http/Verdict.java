package dev.pacer.http;

import java.time.Duration;
import java.util.Optional;

/** What an answer means for the gate of the key it was sent for. */
public sealed interface Verdict {

  /** How many fields, of those that were asked, could not be read and were taken as absent. */
  int malformed();

  /** Calls may go on. */
  record Pass(int malformed) implements Verdict {}

  /**
   * Calls must stop.
   *
   * @param figure how long the vendor says, at most {@link Figure#MAX}, with {@link Figure#PAD} where it is due; zero
   *     if the vendor says zero; empty if it does not say, or says something that is over already, and backoff is
   *     to decide
   * @param refused whether the call was refused; else it was served, and this is the hint that the next one would
   *     not be, so the gate closes before the first refusal and nobody made a mistake
   */
  record Stop(Optional<Duration> figure, boolean refused, int malformed) implements Verdict {
    public Stop {
      if (figure.isPresent() && (figure.get().isNegative() || figure.get().compareTo(Figure.MAX) > 0)) {
        throw new IllegalArgumentException("figure must be from 0 to " + Figure.MAX + ", was " + figure.get());
      }
      if (!refused && figure.filter(wait -> !wait.isZero()).isEmpty()) {
        throw new IllegalArgumentException("figure must be positive if the call was served, was " + figure);
      }
    }
  }
}
