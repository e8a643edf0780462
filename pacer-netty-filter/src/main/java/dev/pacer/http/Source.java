package dev.pacer.http;

/** Where a figure can come from. A profile says in which order they are asked; the first that has one is taken. */
public enum Source {
  /** The headers that name the wait outright, {@code Retry-After} and its like. */
  HINTS,

  /** The body. */
  BODY,

  /** The IETF fields, where nothing remains. */
  RATE_LIMIT,

  /** The vendor's own headers, where nothing remains. */
  ALLOWANCES
}
