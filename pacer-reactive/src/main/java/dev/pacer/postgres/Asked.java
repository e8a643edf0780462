package dev.pacer.postgres;

import dev.pacer.Cursor;
import reactor.core.publisher.MonoSink;

/**
 * A claim, and who waits for its grant.
 *
 * @param alone whether it must have a statement to itself
 * @param known whether its key is believed to have a row
 */
record Asked(Cursor.Claim claim, MonoSink<Cursor.Grant> sink, boolean alone, boolean known) {

  Asked(Cursor.Claim claim, MonoSink<Cursor.Grant> sink) {
    this(claim, sink, false, claim.floor() > 0);
  }

  Asked byItself() {
    return new Asked(claim, sink, true, known);
  }

  Asked asNew() {
    return new Asked(claim, sink, alone, false);
  }
}
