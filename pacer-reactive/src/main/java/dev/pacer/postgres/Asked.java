package dev.pacer.postgres;

import dev.pacer.Cursor;
import reactor.core.publisher.MonoSink;

/**
 * A claim, and who waits for its grant.
 *
 * @param alone whether it must have a statement to itself
 * @param known whether its key is believed to have a row
 * @param stale how many answers were thrown away because their clock had been read too early
 */
record Asked(Cursor.Claim claim, MonoSink<Cursor.Grant> sink, boolean alone, boolean known, int stale) {

  Asked(Cursor.Claim claim, MonoSink<Cursor.Grant> sink) {
    this(claim, sink, false, claim.floor() > 0, 0);
  }

  Asked byItself() {
    return new Asked(claim, sink, true, known, stale);
  }

  Asked asNew() {
    return new Asked(claim, sink, alone, false, stale);
  }

  Asked asStale() {
    return new Asked(claim, sink, alone, known, stale + 1);
  }
}
