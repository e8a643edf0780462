package dev.pacer;

import org.jspecify.annotations.Nullable;

/** The cursor could not be asked, or gave no answer that can be believed. The message says what to do. */
public final class CursorException extends RuntimeException {

  /** How far the fault goes. */
  public enum Extent {
    /** Something about this call or about the set-up: asking again would not help. */
    CALL,

    /** This key's cursor cannot be moved at present; those of other keys can. */
    KEY,

    /** No cursor can be moved at present. */
    ALL
  }

  private final Extent extent;

  /** Of the extent {@link Extent#CALL}. */
  public CursorException(String message, @Nullable Throwable cause) {
    this(message, cause, Extent.CALL);
  }

  public CursorException(String message, @Nullable Throwable cause, Extent extent) {
    super(message, cause);
    this.extent = extent;
  }

  public Extent extent() {
    return extent;
  }

  /** How far that error goes; one of some other kind is taken for this call's own. */
  static Extent of(Throwable error) {
    return error instanceof CursorException known ? known.extent : Extent.CALL;
  }
}
