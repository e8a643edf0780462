package dev.pacer.http;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one vendor means by its statuses and header names, as data. {@link Vendors} has those of well-known vendors;
 * make another with {@link #builder}, or change one with {@link #toBuilder}.
 *
 * <p>A new builder begins with what RFC 9110 and RFC 6585 say: 429, 503 and 529 are refusals, 413 and redirects are if
 * they carry a wait; {@code retry-after-ms}, {@code x-ms-retry-after-ms} and {@code x-amz-retry-after}
 * (milliseconds, and finer than what follows), then {@code Retry-After}; then the body, the IETF {@code RateLimit}
 * fields, and the vendor's own allowances, in this order.
 *
 * <p>Immutable and thread-safe.
 *
 * @param name for logs and metrics
 * @param statuses which statuses are refusals, and on what evidence; all others are good answers
 * @param markers what a body contains, in any letter case, if it is a refusal
 * @param hints headers that name the wait outright, in the order in which they are asked
 * @param bodyHints what finds a figure in the body, in the order in which they are asked
 * @param allowances headers that say what is left and when it is renewed; the longest wait of those exhausted counts
 * @param order where figures come from, first to last; what is left out is not asked
 * @param leastBackoff the least that this vendor wants to be left alone after a refusal without a figure; zero if
 *     it does not say. Not part of a verdict: whoever computes the backoff applies it
 * @param lenient whether values outside the grammar are read where their meaning is clear; see {@link RetryAfter}
 * @param scopes headers that say what an answer is about; the first that has its value counts
 * @param scope what the other answers are about
 */
public record VendorProfile(
    String name,
    Map<Integer, Evidence> statuses,
    Set<String> markers,
    List<Hint> hints,
    List<BodyHint> bodyHints,
    List<Allowance> allowances,
    List<Source> order,
    Duration leastBackoff,
    boolean lenient,
    List<Scoped> scopes,
    Scope scope) {

  /** The longest wait that a {@linkplain Figure#guessed guessed} figure can make. */
  public static final Duration LONGEST_GUESS = Duration.ofSeconds(60);

  public VendorProfile {
    statuses = Map.copyOf(statuses);
    markers = Set.copyOf(markers);
    hints = List.copyOf(hints);
    bodyHints = List.copyOf(bodyHints);
    allowances = List.copyOf(allowances);
    order = List.copyOf(order);
    scopes = List.copyOf(scopes);
    if (leastBackoff.isNegative() || leastBackoff.compareTo(Figure.MAX) > 0) {
      throw new IllegalArgumentException("leastBackoff must be from 0 to " + Figure.MAX + ", was " + leastBackoff);
    }
  }

  /** A header that names the wait outright. */
  public record Hint(Field field, Form form) {}

  /** A header that says what an answer is about, if it has this value, in any letter case. */
  public record Scoped(Field field, String value, Scope scope) {

    boolean isIn(Answer answer) {
      return field.values(answer).stream().map(Text::strip).anyMatch(value::equalsIgnoreCase);
    }
  }

  /** Begins a profile. */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  /** Begins a profile like this one. */
  public Builder toBuilder(String name) {
    return new Builder(name, this);
  }

  /** What an answer means. Never throws, whatever the vendor sent. */
  public Verdict verdict(Answer answer) {
    return new Hearing(this, answer).verdict();
  }

  /** Which of a request's keys an answer is about. */
  public Scope scope(Answer answer) {
    return scopes.stream().filter(told -> told.isIn(answer)).map(Scoped::scope).findFirst().orElse(scope);
  }

  /** Whether the body of an answer with this status can make a difference, so that it is worth reading. */
  public boolean readsBody(int status) {
    Evidence evidence = statuses.get(status);
    if (evidence == null || evidence == Evidence.HINT) {
      return false;
    }
    boolean figures = !bodyHints.isEmpty() && order.contains(Source.BODY);
    return figures || (evidence != Evidence.STATUS && !markers.isEmpty());
  }

  /** Collects a profile. Not thread-safe. */
  public static final class Builder {

    private final String name;
    private final Map<Integer, Evidence> statuses = new LinkedHashMap<>();
    private final Set<String> markers = new LinkedHashSet<>();
    private final List<Hint> hints = new ArrayList<>();
    private final List<BodyHint> bodyHints = new ArrayList<>();
    private final List<Allowance> allowances = new ArrayList<>();
    private List<Source> order = List.of(Source.values());
    private Duration leastBackoff = Duration.ZERO;
    private boolean lenient;
    private final List<Scoped> scopes = new ArrayList<>();
    private Scope scope = Scope.ALL;

    private Builder(String name) {
      this.name = name;
      refusal(Evidence.STATUS, 429, 503, 529);
      refusal(Evidence.HINT, 301, 302, 303, 307, 308, 413);
      hint("retry-after-ms", Form.MILLIS);
      hint("x-ms-retry-after-ms", Form.MILLIS);
      hint("x-amz-retry-after", Form.MILLIS);
      hint("Retry-After", Form.RETRY_AFTER);
    }

    private Builder(String name, VendorProfile profile) {
      this.name = name;
      statuses.putAll(profile.statuses);
      markers.addAll(profile.markers);
      hints.addAll(profile.hints);
      bodyHints.addAll(profile.bodyHints);
      allowances.addAll(profile.allowances);
      order = profile.order;
      leastBackoff = profile.leastBackoff;
      lenient = profile.lenient;
      scopes.addAll(profile.scopes);
      scope = profile.scope;
    }

    /** These statuses are refusals on this evidence. */
    public Builder refusal(Evidence evidence, int... codes) {
      for (int code : codes) {
        statuses.put(code, evidence);
      }
      return this;
    }

    /** These statuses are no refusals. */
    public Builder noRefusal(int... codes) {
      for (int code : codes) {
        statuses.remove(code);
      }
      return this;
    }

    /** A body that contains this, in any letter case, is a refusal where the status leaves it open. */
    public Builder marker(String text) {
      markers.add(text);
      return this;
    }

    /** Forgets all headers that name the wait outright. */
    public Builder noHints() {
      hints.clear();
      return this;
    }

    /** A header that names the wait outright, asked after those before it. */
    public Builder hint(String header, Form form) {
      return hint(Field.of(header), form);
    }

    /** A header that names the wait outright, asked after those before it. */
    public Builder hint(Field field, Form form) {
      hints.add(new Hint(field, form));
      return this;
    }

    /** Finds a figure in the body, asked after those before it. */
    public Builder bodyHint(BodyHint hint) {
      bodyHints.add(hint);
      return this;
    }

    /** Headers that say what is left, as a whole number, and when it is renewed. */
    public Builder allowance(String remaining, String reset, Form form) {
      return allowance(Allowance.of(remaining, reset, form));
    }

    /** Headers that say what is left and when it is renewed. */
    public Builder allowance(Allowance allowance) {
      allowances.add(allowance);
      return this;
    }

    /** Where figures come from, first to last; what is left out is not asked. */
    public Builder order(Source... sources) {
      order = List.of(sources);
      return this;
    }

    /** The least that this vendor wants to be left alone after a refusal without a figure. */
    public Builder leastBackoff(Duration leastBackoff) {
      this.leastBackoff = leastBackoff;
      return this;
    }

    /** Whether values outside the grammar are read where their meaning is clear; not by default. */
    public Builder lenient(boolean lenient) {
      this.lenient = lenient;
      return this;
    }

    /** An answer whose header has this value, in any letter case, is about this; asked after those before it. */
    public Builder about(Scope scope, String header, String value) {
      scopes.add(new Scoped(Field.of(header), value, scope));
      return this;
    }

    /** What answers are about whose headers do not say. Default: {@link Scope#ALL}. */
    public Builder about(Scope scope) {
      this.scope = scope;
      return this;
    }

    public VendorProfile build() {
      return new VendorProfile(
          name, statuses, markers, hints, bodyHints, allowances, order, leastBackoff, lenient, scopes, scope);
    }
  }
}
