package dev.pacer.http;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How long until a throttled query of Shopify's GraphQL API can be afforded: what it asks for, less what there is,
 * at the rate at which that grows.
 */
record ShopifyCost() implements BodyHint {

  static final String THROTTLED = "THROTTLED";

  private static final BigDecimal MILLIS = BigDecimal.valueOf(1_000);

  @Override
  public Optional<Duration> read(String body) {
    // the same numbers are in every answer; a served query has paid already
    if (!body.contains(THROTTLED)) {
      return Optional.empty();
    }
    return number(body, "requestedQueryCost", "requestedCost")
        .flatMap(
            asked ->
                number(body, "currentlyAvailable")
                    .flatMap(
                        there ->
                            number(body, "restoreRate")
                                .filter(rate -> rate.signum() > 0)
                                .map(rate -> until(asked.subtract(there), rate))));
  }

  private static Duration until(BigDecimal missing, BigDecimal perSecond) {
    return Figure.saturated(
        missing.max(BigDecimal.ZERO).multiply(MILLIS).divide(perSecond, 0, RoundingMode.CEILING));
  }

  private static Optional<BigDecimal> number(String body, String... names) {
    return Stream.of(names)
        .flatMap(name -> JsonMember.values(body, name).stream())
        .flatMap(value -> Optional.ofNullable(Text.decimal(value)).stream())
        .findFirst();
  }
}
