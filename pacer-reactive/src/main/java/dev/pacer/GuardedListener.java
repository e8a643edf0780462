package dev.pacer;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Exceptions;

/** Keeps a listener's faults away from the lanes, and logs what an operator must know in any case. */
final class GuardedListener implements PacerListener {

  private static final Logger log = LoggerFactory.getLogger(Pacer.class);

  private final PacerListener listener;
  private volatile boolean clampLogged;
  private volatile boolean faultLogged;

  GuardedListener(PacerListener listener) {
    this.listener = listener;
  }

  @Override
  public void released(String key, Duration waited, Duration late) {
    guard(() -> listener.released(key, waited, late));
  }

  @Override
  public void refused(String key, Duration waitNeeded) {
    guard(() -> listener.refused(key, waitNeeded));
  }

  @Override
  public void cancelled(String key) {
    guard(() -> listener.cancelled(key));
  }

  @Override
  public void answered(String key, long asked, long granted, Duration roundTrip) {
    guard(() -> listener.answered(key, asked, granted, roundTrip));
  }

  @Override
  public void givenBack(String key, long permits) {
    guard(() -> listener.givenBack(key, permits));
  }

  @Override
  public void lost(String key, long permits) {
    guard(() -> listener.lost(key, permits));
  }

  @Override
  public void clamped(String key) {
    if (!clampLogged) {
      clampLogged = true;
      log.warn(
          "The cursor of \"{}\" was further ahead than any call may wait, and was read as idle. Was the"
              + " database's clock wrong? Further ones are only counted.",
          key);
    }
    guard(() -> listener.clamped(key));
  }

  @Override
  public void shut(String key, Duration remaining, int strikes, boolean fresh) {
    if (fresh) {
      log.info("\"{}\" cools down for {}: nothing is sent to it until then", key, remaining);
    } else {
      log.debug("\"{}\" cools down for longer: {}, strikes {}", key, remaining, strikes);
    }
    guard(() -> listener.shut(key, remaining, strikes, fresh));
  }

  @Override
  public void degraded(@Nullable String key, Throwable why) {
    log.debug("Degraded", why);
    guard(() -> listener.degraded(key, why));
  }

  @Override
  public void recovered(Duration away, long claims) {
    log.info("The cursor is shared again, after {} and {} claims without it", away, claims);
    guard(() -> listener.recovered(away, claims));
  }

  @Override
  public void anomaly(String key, String what) {
    log.debug("Cursor of \"{}\" answered outside its contract: {}", key, what);
    guard(() -> listener.anomaly(key, what));
  }

  private void guard(Runnable event) {
    try {
      event.run();
    } catch (Throwable fault) {
      Exceptions.throwIfJvmFatal(fault);
      if (!faultLogged) {
        faultLogged = true;
        log.warn("A PacerListener threw; that is ignored, and logged once", fault);
      }
    }
  }
}
