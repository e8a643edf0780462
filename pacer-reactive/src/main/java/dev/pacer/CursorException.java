package dev.pacer;

import org.jspecify.annotations.Nullable;

/** The cursor could not be asked, or gave no answer that can be believed. The message says what to do. */
public final class CursorException extends RuntimeException {

  public CursorException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
