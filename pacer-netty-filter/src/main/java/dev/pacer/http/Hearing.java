package dev.pacer.http;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One answer, heard by one profile. Used once.
 *
 * <p>The status decides first whether this may be a refusal. Then the sources are asked in the profile's order, and
 * the first usable figure counts. A figure whose moment was over before the answer was sent says nothing, and so
 * does a guess above {@link VendorProfile#LONGEST_GUESS} in a refusal: backoff, which grows, does better there
 * than the same short wait again and again. On a good answer only what is exhausted is asked for.
 */
final class Hearing {

  private static final Set<Source> EVERY = EnumSet.allOf(Source.class);
  private static final Set<Source> EXHAUSTED = EnumSet.of(Source.RATE_LIMIT, Source.ALLOWANCES);

  private final VendorProfile profile;
  private final Answer answer;
  private final boolean refusal;
  private final Set<Object> malformed = new HashSet<>();
  private @Nullable ServerTime time;
  private int malformedRateLimit;
  private boolean exhausted;

  Hearing(VendorProfile profile, Answer answer) {
    this.profile = profile;
    this.answer = answer;
    this.refusal = profile.statuses().get(answer.status()) == Evidence.STATUS;
  }

  Verdict verdict() {
    Evidence evidence = profile.statuses().get(answer.status());
    if (evidence == Evidence.STATUS) {
      return refused(figure(EVERY, /* refused= */ true));
    }
    if (evidence != null) {
      boolean spent = evidence == Evidence.ANY && spent();
      Optional<Duration> figure = figure(sources(evidence), /* refused= */ true);
      boolean told = figure.filter(wait -> !wait.isZero()).isPresent();
      boolean marked = evidence != Evidence.HINT && marked();
      if (told || marked || spent) {
        // a marker in the body says that this is a refusal, so its headers may say how long
        return refused(figure.isPresent() ? figure : figure(EVERY, /* refused= */ true));
      }
    }
    return figure(EXHAUSTED, /* refused= */ false)
        .filter(wait -> !wait.isZero())
        .<Verdict>map(wait -> new Verdict.Stop(Optional.of(wait), /* refused= */ false, malformed()))
        .orElseGet(() -> new Verdict.Pass(malformed()));
  }

  private Verdict refused(Optional<Duration> figure) {
    return new Verdict.Stop(figure, /* refused= */ true, malformed());
  }

  private static Set<Source> sources(Evidence evidence) {
    return switch (evidence) {
      case HINT -> EnumSet.of(Source.HINTS);
      case BODY -> EnumSet.of(Source.BODY);
      case ANY, STATUS -> EVERY;
    };
  }

  private Optional<Duration> figure(Set<Source> sources, boolean refused) {
    for (Source source : profile.order()) {
      Optional<Duration> figure = sources.contains(source) ? ask(source, refused) : Optional.empty();
      if (figure.isPresent()) {
        return figure;
      }
    }
    return Optional.empty();
  }

  private Optional<Duration> ask(Source source, boolean refused) {
    return switch (source) {
      case HINTS -> hints(refused);
      case BODY -> body();
      case RATE_LIMIT -> cached() ? Optional.empty() : rateLimit(refused);
      case ALLOWANCES -> cached() ? Optional.empty() : allowances(refused);
    };
  }

  private boolean cached() {
    return !answer.lines("Age").isEmpty() && time().cached();
  }

  /** Read when the first figure needs it: most answers have none, and a date is long to read. */
  private ServerTime time() {
    ServerTime known = time;
    if (known == null) {
      known = answer.time();
      time = known;
    }
    return known;
  }

  private Optional<Duration> hints(boolean refused) {
    for (VendorProfile.Hint hint : profile.hints()) {
      Optional<Duration> figure =
          read(hint.field(), hint.form()).flatMap(f -> usable(f, refused));
      if (figure.isPresent()) {
        return figure;
      }
    }
    return Optional.empty();
  }

  /** Whether something is exhausted, whatever may have been asked before and had a figure. */
  private boolean spent() {
    return figure(EXHAUSTED, /* refused= */ true).isPresent() || exhausted;
  }

  private Optional<Duration> body() {
    for (BodyHint hint : profile.bodyHints()) {
      Optional<Duration> figure = body(hint);
      if (figure.isPresent()) {
        return figure;
      }
    }
    return Optional.empty();
  }

  private Optional<Duration> body(BodyHint hint) {
    try {
      return hint.read(answer.body())
          .map(wait -> wait.isNegative() ? Duration.ZERO : wait.compareTo(Figure.MAX) > 0 ? Figure.MAX : wait);
    } catch (RuntimeException userCodeFailed) {
      malformed.add(hint);
      return Optional.empty();
    }
  }

  private Optional<Duration> rateLimit(boolean refused) {
    RateLimitHeaders headers = new RateLimitFields(answer, this::time, profile.lenient()).read();
    malformedRateLimit = headers.malformed();
    if (headers.states().isEmpty()) {
      return Optional.empty();
    }
    exhausted |= headers.states().stream().anyMatch(state -> state.remaining() == 0);
    return headers.exhausted().flatMap(figure -> usable(figure, refused));
  }

  private Optional<Duration> allowances(boolean refused) {
    Optional<Duration> said = longest(this::saysNothingLeft, refused);
    // where none says what is left, a refusal says it
    return said.isPresent() || !refusal ? said : longest(a -> a.remaining().isEmpty(), refused);
  }

  private boolean saysNothingLeft(Allowance allowance) {
    if (allowance.remaining().isEmpty()) {
      return false;
    }
    Field field = allowance.remaining().get();
    boolean nothing = false;
    for (String value : field.values(answer)) {
      BigDecimal left = allowance.count().left(Text.strip(value));
      count(field, left == null);
      nothing |= left != null && left.signum() <= 0;
    }
    exhausted |= nothing;
    return nothing;
  }

  private Optional<Duration> longest(Predicate<Allowance> which, boolean refused) {
    Optional<Duration> longest = Optional.empty();
    for (Allowance allowance : profile.allowances()) {
      Optional<Duration> wait =
          which.test(allowance)
              ? read(allowance.reset(), allowance.form()).flatMap(figure -> usable(figure, refused))
              : Optional.empty();
      if (wait.isPresent() && (longest.isEmpty() || wait.get().compareTo(longest.get()) > 0)) {
        longest = wait;
      }
    }
    return longest;
  }

  private static Optional<Duration> usable(Figure figure, boolean refused) {
    Duration wait = figure.absolute() ? figure.offset().plus(Figure.PAD) : figure.offset();
    Duration longest = figure.guessed() ? VendorProfile.LONGEST_GUESS : Figure.MAX;
    boolean tooLongAGuess = figure.guessed() && refused && wait.compareTo(longest) > 0;
    if (figure.past() || tooLongAGuess) {
      return Optional.empty();
    }
    return Optional.of(wait.isNegative() ? Duration.ZERO : wait.compareTo(longest) > 0 ? longest : wait);
  }

  private Optional<Figure> read(Field field, Form form) {
    List<String> values = field.values(answer);
    if (values.isEmpty()) {
      return Optional.empty();
    }
    Reading reading = field.read(values, form, time(), profile.lenient());
    count(field, reading.malformed());
    return reading.figure();
  }

  /** A field counts once, however often it is asked. */
  private void count(Field field, boolean isMalformed) {
    if (isMalformed) {
      malformed.add(field);
    }
  }

  private int malformed() {
    return malformed.size() + malformedRateLimit;
  }

  private boolean marked() {
    String body = answer.body().toLowerCase(Locale.ROOT);
    return profile.markers().stream().anyMatch(marker -> body.contains(marker.toLowerCase(Locale.ROOT)));
  }
}
