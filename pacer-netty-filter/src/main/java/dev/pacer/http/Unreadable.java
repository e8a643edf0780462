package dev.pacer.http;

/** A request body failed when it was read once more. */
final class Unreadable extends RuntimeException {

  Unreadable(Throwable cause) {
    super("the body of the request cannot be read again", cause);
  }

  /**
   * Whether an error says so. Where nobody could watch the body, an {@link IllegalStateException} does: bodies that can
   * be read once fail with one, and so do buffers that were released, when they are asked again.
   */
  static boolean isIn(Throwable error) {
    int depth = 0;
    for (Throwable cause = error; cause != null && depth < 16; cause = cause.getCause(), depth++) {
      if (cause instanceof Unreadable || cause instanceof IllegalStateException) {
        return true;
      }
    }
    return false;
  }
}
