package dev.pacer;

/** The pacer was closed: before this call, or while it waited. Nothing was sent for it. */
public final class PacerClosedException extends IllegalStateException {

  PacerClosedException(String key) {
    super("pacer is closed, \"" + key + "\" was not let through", null);
  }
}
