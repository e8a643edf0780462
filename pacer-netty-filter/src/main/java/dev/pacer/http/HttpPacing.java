package dev.pacer.http;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Paces the requests of HTTP clients, and obeys their vendors: what {@link PacingExchangeFilter} and {@link
 * PacingHttpClient} have in common.
 *
 * <p>Before each sending of a request, the {@linkplain Builder#guard guard} is asked, then every key of the request
 * has to grant a slot, and last of all every gate has to be open. When the vendor refuses, the gates of its keys are
 * shut, for the whole fleet, and the request is sent again after that, while {@linkplain Builder#attempts attempts}
 * and wait budget last and it {@linkplain Refusal#isRepeatable may be} repeated; each sending takes its own slots.
 * The body of the refusal is read, for at most 64 KiB and 300 ms, so that its connection can be used again. A good
 * answer that says that nothing is left shuts the gates before the first refusal.
 *
 * <p>The wait budget covers all waiting for gates and slots, not the time that the vendor takes to answer. When it is
 * known to be too short, the refusal is given back at once; when it turns out to be while the request waits, that
 * ends with a {@link dev.pacer.RateLimitedException}.
 *
 * <p>Of several keys, one may make the request wait when another has granted already, so that this one's dispatches
 * can come closer together than its slots. Gates that are shut are therefore waited for first; give the key with the
 * slowest pace the name that sorts first, or its own engine.
 *
 * <p>Of many requests in one {@code Flux}, {@code flatMap} begins 256 at a time, and a slow key can fill all those places,
 * so that no other key gets any. Grouped by key, each has places of its own; what has no place yet is kept in memory:
 * {@code flux.groupBy(key, Integer.MAX_VALUE).flatMap(group -> group.flatMap(send, 256), Integer.MAX_VALUE)}.
 *
 * <p>Thread-safe. Create once. Nothing is to be closed but the pacer.
 */
public final class HttpPacing {

  /** A pace for destinations that nobody made one for: one call per 0.75 s. */
  public static final Pace UNKNOWN_DESTINATION = Pace.of(1, Duration.ofMillis(750));

  /** Whether requests wait. */
  public enum Mode {
    /** For slots and at gates. */
    WAIT,

    /**
     * Never, and they take no slots; for big downloads. Their refusals are given back, and shut gates for those who
     * wait.
     */
    NEVER_WAIT
  }

  /** What becomes of a refusal after which the request is not sent again. */
  public enum OnRefused {
    /** The response, as it came, with its body. */
    RESPONSE,

    /** A {@link RefusedException}. The body is read and forgotten. */
    ERROR
  }

  final Pacer pacer;
  final Function<Request, List<String>> keys;
  final BiFunction<List<String>, Answer, ? extends Collection<String>> stops;
  final Function<String, @Nullable VendorProfile> profiles;
  final Duration maxWait;
  final int attempts;
  final Predicate<Refusal> resend;
  final OnRefused onRefused;
  final Guard guard;
  final boolean gate;
  final boolean pacing;
  final Mode mode;
  final Scheduler scheduler;

  private HttpPacing(Builder builder) {
    pacer = builder.pacer;
    keys = builder.keys;
    profiles = builder.profiles;
    stops =
        builder.stops != null ? builder.stops : (keys, answer) -> profile(keys.get(0)).scope(answer).of(keys);
    maxWait = builder.maxWait;
    attempts = builder.attempts;
    resend = builder.resend;
    onRefused = builder.onRefused;
    guard = builder.guard;
    gate = builder.gate;
    pacing = builder.pacing;
    mode = builder.mode;
    scheduler = builder.scheduler;
  }

  /** Begins an engine on this pacer, which needs a pace for every key that occurs. */
  public static Builder builder(Pacer pacer) {
    return new Builder(pacer);
  }

  VendorProfile profile(String key) {
    VendorProfile profile = profiles.apply(key);
    return profile == null ? Vendors.GENERIC : profile;
  }

  /** Builds an {@link HttpPacing}. Not thread-safe. Functions are called from several threads, and must be quick. */
  public static final class Builder {

    private final Pacer pacer;
    private Function<Request, List<String>> keys = request -> List.of(request.destination().key());
    private @Nullable BiFunction<List<String>, Answer, ? extends Collection<String>> stops;
    private Function<String, @Nullable VendorProfile> profiles = key -> Vendors.GENERIC;
    private Duration maxWait = Duration.ofMinutes(5);
    private int attempts = 4;
    private Predicate<Refusal> resend = Refusal::isRepeatable;
    private OnRefused onRefused = OnRefused.RESPONSE;
    private Guard guard = Guard.NONE;
    private boolean gate = true;
    private boolean pacing = true;
    private Mode mode = Mode.WAIT;
    private Scheduler scheduler = Schedulers.parallel();

    private Builder(Pacer pacer) {
      this.pacer = pacer;
    }

    /**
     * The key of a request. Default: its {@link Destination}. Not to be a secret: keys are stored and logged. Asked
     * once for each request, and again for the place that it was redirected to.
     */
    public Builder key(Function<Request, String> key) {
      this.keys = request -> List.of(key.apply(request));
      return this;
    }

    /**
     * Several keys of one request, such as a global limit and an endpoint's, the widest first: all must grant. None
     * lets the request pass as if there were no engine.
     */
    public Builder keys(Function<Request, List<String>> keys) {
      this.keys = keys;
      return this;
    }

    /**
     * Which of a request's keys an answer is about. Default: what the profile knows of it, see {@link Scope}; that is
     * all of them, which is right only where it is one, if it knows nothing.
     */
    public Builder stops(BiFunction<List<String>, Answer, ? extends Collection<String>> stops) {
      this.stops = stops;
      return this;
    }

    /** Whose answers these are. Default: {@link Vendors#GENERIC}. */
    public Builder profile(VendorProfile profile) {
      return profiles(key -> profile);
    }

    /** Whose answers these are, by the request's first key; null for {@link Vendors#GENERIC}. */
    public Builder profiles(Function<String, @Nullable VendorProfile> profiles) {
      this.profiles = profiles;
      return this;
    }

    /** How long a request may wait for slots and at gates, in all its sendings together. Default: 300 s. */
    public Builder maxWait(Duration maxWait) {
      if (maxWait.isNegative()) {
        throw new IllegalArgumentException("maxWait must not be negative, was " + maxWait);
      }
      this.maxWait = maxWait;
      return this;
    }

    /** How often a request is sent at most, with the first time. Default: 4; 1 only paces. */
    public Builder attempts(int attempts) {
      if (attempts < 1) {
        throw new IllegalArgumentException("attempts must be at least 1, was " + attempts);
      }
      this.attempts = attempts;
      return this;
    }

    /** After which refusals a request may be sent again. Default: {@link Refusal#isRepeatable}. */
    public Builder resend(Predicate<Refusal> resend) {
      this.resend = resend;
      return this;
    }

    /** What becomes of a refusal after which the request is not sent again. Default: the response. */
    public Builder onRefused(OnRefused onRefused) {
      this.onRefused = onRefused;
      return this;
    }

    /** Asked before each sending. Default: none. */
    public Builder guard(Guard guard) {
      this.guard = guard;
      return this;
    }

    /**
     * Whether answers are heard at all: if not, no answer shuts a gate, and nothing is sent again. Slots still wait
     * for gates that others shut. Default: true.
     */
    public Builder gate(boolean gate) {
      this.gate = gate;
      return this;
    }

    /**
     * Whether requests take slots. If not, they go at once while the gate is open; what comes to a shut one goes on
     * through slots, so that it does not all go together. Of cooldowns that other processes were told, a process hears
     * only while it uses slots of the key. Default: true.
     */
    public Builder pacing(boolean pacing) {
      this.pacing = pacing;
      return this;
    }

    /** Whether requests wait. Default: they do. */
    public Builder mode(Mode mode) {
      this.mode = mode;
      return this;
    }

    /** Whose clock is used, and on which a body that is read for too long is given up. Default: parallel. */
    public Builder scheduler(Scheduler scheduler) {
      this.scheduler = scheduler;
      return this;
    }

    public HttpPacing build() {
      return new HttpPacing(this);
    }
  }
}
