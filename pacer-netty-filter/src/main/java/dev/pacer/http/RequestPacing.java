package dev.pacer.http;

import dev.pacer.Call;
import dev.pacer.Priority;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * What one request wants to have different from its engine; null where it does not. Immutable.
 *
 * <p>For WebClient, {@code .attributes(RequestPacing.key("user:42").permits(3).attribute())}; for Reactor Netty, and
 * for WebClient where nothing else is at hand, {@code .contextWrite(RequestPacing.key("user:42").context())}. What an
 * attribute says wins over the Context, piece by piece.
 *
 * @param keys instead of the engine's key function
 * @param permits what each sending costs
 * @param priority see {@link Priority}
 * @param maxWait the wait budget of all sendings together
 * @param resend whether it may be sent again after a refusal
 * @param mode whether it waits
 */
public record RequestPacing(
    @Nullable List<String> keys,
    @Nullable Integer permits,
    @Nullable Priority priority,
    @Nullable Duration maxWait,
    @Nullable Boolean resend,
    HttpPacing.@Nullable Mode mode) {

  /** Name of the request attribute, and key in the Context. */
  public static final String NAME = RequestPacing.class.getName();

  /** Nothing different. */
  public static final RequestPacing NONE = new RequestPacing(null, null, null, null, null, null);

  public RequestPacing {
    keys = keys == null ? null : List.copyOf(keys);
    if (keys != null && keys.isEmpty()) {
      throw new IllegalArgumentException("keys must not be empty");
    }
    Call call = permits == null ? Call.ONE : Call.of(permits); // checks it
    if (maxWait != null) {
      call.maxWait(maxWait);
    }
  }

  /** Another key than the engine's key function says. */
  public static RequestPacing key(String key) {
    return keys(List.of(key));
  }

  /** Several keys, all of which must grant. */
  public static RequestPacing keys(List<String> keys) {
    return new RequestPacing(keys, null, null, null, null, null);
  }

  public RequestPacing permits(int permits) {
    return new RequestPacing(keys, permits, priority, maxWait, resend, mode);
  }

  public RequestPacing priority(Priority priority) {
    return new RequestPacing(keys, permits, priority, maxWait, resend, mode);
  }

  public RequestPacing maxWait(Duration maxWait) {
    return new RequestPacing(keys, permits, priority, maxWait, resend, mode);
  }

  public RequestPacing resend(boolean resend) {
    return new RequestPacing(keys, permits, priority, maxWait, resend, mode);
  }

  public RequestPacing mode(HttpPacing.Mode mode) {
    return new RequestPacing(keys, permits, priority, maxWait, resend, mode);
  }

  /** For {@code WebClient...attributes(...)}. */
  public Consumer<Map<String, Object>> attribute() {
    return attributes -> attributes.put(NAME, this);
  }

  /** For {@code mono.contextWrite(...)}. */
  public Function<Context, Context> context() {
    return context -> context.put(NAME, this);
  }

  static RequestPacing in(ContextView context) {
    return context.getOrDefault(NAME, null) instanceof RequestPacing own ? own : NONE;
  }

  static RequestPacing in(Map<String, Object> attributes, ContextView context) {
    return attributes.get(NAME) instanceof RequestPacing own ? own.over(in(context)) : in(context);
  }

  private RequestPacing over(RequestPacing other) {
    return new RequestPacing(
        orNull(keys, other.keys),
        orNull(permits, other.permits),
        orNull(priority, other.priority),
        orNull(maxWait, other.maxWait),
        orNull(resend, other.resend),
        orNull(mode, other.mode));
  }

  Call call(Duration maxWait) {
    return new Call(either(permits, 1), either(priority, Priority.NORMAL), maxWait);
  }

  static <T> T either(@Nullable T first, T second) {
    return first != null ? first : second;
  }

  private static <T> @Nullable T orNull(@Nullable T first, @Nullable T second) {
    return first != null ? first : second;
  }
}
