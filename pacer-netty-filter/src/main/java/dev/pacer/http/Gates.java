package dev.pacer.http;

import dev.pacer.Cursor;
import dev.pacer.Pacer;
import dev.pacer.Sent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The gates that one request has to pass, and what its answers mean for them. Of the keys of the request, and of places
 * that it was redirected to and that refused it there. Used by one thread at a time.
 */
final class Gates {

  private static final Logger LOG = LoggerFactory.getLogger(HttpPacing.class);

  private final HttpPacing engine;
  private final Pacer pacer;
  private final List<String> asked;
  private List<String> keys;
  private List<String> answering;
  private List<Sent> sent = List.of();

  Gates(HttpPacing engine, List<String> asked) {
    this.engine = engine;
    this.pacer = engine.pacer;
    this.asked = asked;
    this.keys = distinct(asked);
    this.answering = asked;
  }

  boolean isEmpty() {
    return asked.isEmpty();
  }

  static List<String> distinct(List<String> keys) {
    return keys.size() == 1 ? Collections.singletonList(keys.get(0)) : keys.stream().distinct().toList();
  }

  /** In the order of the keys, and those whose gates are shut before the others. */
  List<String> inOrder() {
    if (keys.size() == 1) {
      return keys;
    }
    Comparator<String> gate = Comparator.comparing(pacer::remaining);
    return keys.stream().sorted(gate.reversed().thenComparing(Comparator.naturalOrder())).toList();
  }

  /** How long the last of them stays shut. */
  Duration remaining() {
    return keys.stream().map(pacer::remaining).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
  }

  /** Last thing before the request is sent: false if a gate is shut, and the request must pass it. */
  boolean pass(boolean must) {
    List<Sent> departing = new ArrayList<>(keys.size());
    for (String key : keys) {
      Sent one = sending(key);
      if (must && one.generation() == Cursor.Stop.NO_ANSWER) {
        return false;
      }
      departing.add(one);
    }
    sent = departing;
    return true;
  }

  private Sent sending(String key) {
    Sent open = pacer.sending(key);
    return open != null ? open : new Sent(key, Cursor.Stop.NO_ANSWER);
  }

  /** The next answers come from a place with these keys; none if it is where the request was sent to. */
  void answeredFrom(List<String> place) {
    answering = place.isEmpty() ? asked : place;
  }

  /** The first key of the place that answered. */
  String answering() {
    return answering.get(0);
  }

  VendorProfile profile() {
    return engine.profile(answering());
  }

  void heard(Answer answer) {
    heard(answer, profile().verdict(answer));
  }

  void heard(Answer answer, Verdict verdict) {
    if (verdict instanceof Verdict.Stop stop) {
      stopped(answer, stop);
    } else {
      sent.forEach(pacer::succeeded);
    }
  }

  void stopped(Answer answer, Verdict.Stop stop) {
    if (!stop.refused()) {
      sent.forEach(pacer::succeeded);
    }
    for (String key : engine.stops.apply(answering, answer)) {
      if (keys.contains(key)) {
        stop(key, stop);
      } else {
        stopBeyond(key, stop);
      }
    }
  }

  /** A place that the request was redirected to may have no pace, and then it has no gate either. */
  private void stopBeyond(String key, Verdict.Stop stop) {
    try {
      stop(key, stop);
      keys = Stream.concat(keys.stream(), Stream.of(key)).toList();
    } catch (IllegalArgumentException noPace) {
      LOG.debug("Redirected to \"{}\", which is not paced and whose refusal shuts no gate", key, noPace);
    }
  }

  /** A good answer that says that nothing is left shuts the gate too, but nobody made a mistake. */
  private void stop(String key, Verdict.Stop stop) {
    Duration figure = stop.figure().orElse(null);
    if (stop.refused()) {
      pacer.coolDown(sent(key), figure);
    }
    Duration least = figure == null ? profile().leastBackoff() : stop.refused() ? Duration.ZERO : figure;
    if (!least.isZero()) {
      pacer.shut(key, least);
    }
  }

  private Sent sent(String key) {
    @Nullable Sent found = sent.stream().filter(one -> one.key().equals(key)).findFirst().orElse(null);
    return found != null ? found : new Sent(key, Cursor.Stop.UNKNOWN);
  }
}
