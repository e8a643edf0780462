package dev.pacer;

import java.util.concurrent.TimeUnit;
import reactor.core.scheduler.Scheduler;

/**
 * What all lanes of a pacer share.
 *
 * @param timer whose clock is the process's only one, and whose thread runs no user code
 * @param handover on whose threads callers go on
 * @param suspension whether no slot may be taken or used at present
 * @param quantum how many nanoseconds' worth of slots a lane may hold that are not due yet
 * @param longestWait no wait budget is longer, in nanoseconds
 */
record Settings(
    Cursor cursor,
    Paces paces,
    Scheduler timer,
    Handover handover,
    PacerListener listener,
    RoundTrips roundTrips,
    Backoff backoff,
    Suspension suspension,
    long quantum,
    long longestWait) {

  long now() {
    return timer.now(TimeUnit.NANOSECONDS);
  }
}
