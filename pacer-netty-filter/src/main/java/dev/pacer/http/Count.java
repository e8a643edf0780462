package dev.pacer.http;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/** How a vendor writes what is left of an {@link Allowance}. */
public enum Count {
  /** {@code 20}; parameters after it, as in {@code 20;w=21600}, are ignored. */
  WHOLE {
    @Override
    @Nullable BigDecimal left(String value) {
      return Text.whole(Text.strip(value.split(";", 2)[0]));
    }
  },

  /** A number that may have a fraction: {@code 98.0}. */
  DECIMAL {
    @Override
    @Nullable BigDecimal left(String value) {
      return Text.decimal(value);
    }
  },

  /** The same, or below zero when more was spent than granted, as Reddit has it. Elsewhere -1 can mean "no limit". */
  SIGNED {
    @Override
    @Nullable BigDecimal left(String value) {
      return value.startsWith("-") && Text.decimal(value.substring(1)) != null ? BigDecimal.ZERO : Text.decimal(value);
    }
  },

  /** {@code 39/40}: used, and the limit; as Shopify has it. */
  USED_OF_LIMIT {
    @Override
    @Nullable BigDecimal left(String value) {
      String[] parts = value.split("/", 2);
      BigDecimal used = Text.decimal(parts[0]);
      BigDecimal limit = parts.length < 2 ? null : Text.decimal(parts[1]);
      return used == null || limit == null ? null : limit.subtract(used);
    }
  },

  /** A word: {@code rejected} says that nothing is left, any other that something is; as Anthropic has it. */
  REJECTED {
    @Override
    @Nullable BigDecimal left(String value) {
      return value.equalsIgnoreCase("rejected") ? BigDecimal.ZERO : BigDecimal.ONE;
    }
  };

  /** Reads one value, already without the white space around it; null if it is none. Nothing is left at or below 0. */
  abstract @Nullable BigDecimal left(String value);
}
