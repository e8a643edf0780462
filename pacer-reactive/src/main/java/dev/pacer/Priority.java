package dev.pacer;

/**
 * Who goes first among the waiting calls of a key, within one process. Strict: while an urgent call waits, no
 * normal one is let through. Within a priority, first come first served.
 */
public enum Priority {
  /** Somebody is waiting for it. */
  URGENT,
  NORMAL,
  /** May wait until nobody else does. */
  BULK
}
