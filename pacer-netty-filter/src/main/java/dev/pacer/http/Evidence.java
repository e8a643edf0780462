package dev.pacer.http;

/** What it takes for an answer with a status to be a refusal. */
public enum Evidence {
  /** Nothing more than the status: 429. */
  STATUS,

  /** A figure above zero in a header that names the wait outright: a redirect with {@code Retry-After}. */
  HINT,

  /** Any figure above zero, an exhausted allowance, or a marker in the body: 403 from a vendor that means both. */
  ANY,

  /** A marker in the body, or a figure above zero there: 200 with an error in it. */
  BODY
}
