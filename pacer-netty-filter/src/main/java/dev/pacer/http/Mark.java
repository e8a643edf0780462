package dev.pacer.http;

import dev.pacer.Pacer;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * In the Context of a sending: that it is paced already, so that a decorated client under a filter does not pace it
 * again. Bound to its destination: what a filter in between sends elsewhere, for a token perhaps, is paced.
 *
 * @param destination null where the request does not say
 */
record Mark(Pacer pacer, @Nullable String destination) {

  Context in(Context context) {
    return context.put(Mark.class, this);
  }

  /** Whether a request to there, or to who knows where, is paced already. */
  static boolean covers(ContextView context, Pacer pacer, @Nullable String destination) {
    Mark mark = context.getOrDefault(Mark.class, null);
    return mark != null
        && mark.pacer == pacer
        && (destination == null || mark.destination == null || mark.destination.equals(destination));
  }
}
