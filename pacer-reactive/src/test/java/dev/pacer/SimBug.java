package dev.pacer;

/** What a simulation can be made to do wrong, so that it shows whether it would find out. */
enum SimBug {
  NONE(""),
  /** Claims say nothing of the places that their process has seen. */
  DROPPED_FLOOR("P1: granted twice"),
  /** The cursor is moved back whatever has happened since. */
  BLIND_REFUNDS("P1: granted twice"),
  /** Callers send without looking at the gate again. */
  NO_LAST_LOOK("P6"),
  /** Now and then a claim is granted from the row as it was before the last one. */
  LOST_UPDATES("P1: granted twice"),
  /** Each process that is alone takes itself for the only one. */
  UNDIVIDED("P1: process"),
  /** Errors of the database are errors of the call. */
  NO_FALLBACK("P11");

  /** How what is found begins. */
  final String promise;

  SimBug(String promise) {
    this.promise = promise;
  }
}
