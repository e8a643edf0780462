package dev.pacer.http;

/** Asks the loop for another round. Never leaves it. */
final class Again extends RuntimeException {

  Again() {
    super("again", null, false, false);
  }

  static boolean is(Throwable error) {
    return error instanceof Again;
  }
}
