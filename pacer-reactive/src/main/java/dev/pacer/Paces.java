package dev.pacer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Which pace a key has: by exact name, else by the function, else the default. Thread-safe. */
final class Paces {

  private final Map<String, Pace> byName;
  private final Function<String, @Nullable Pace> byFunction;
  private volatile @Nullable Pace byDefault;

  Paces(Map<String, Pace> byName, Function<String, @Nullable Pace> byFunction, @Nullable Pace byDefault) {
    this.byName = new ConcurrentHashMap<>(byName);
    this.byFunction = byFunction;
    this.byDefault = byDefault;
  }

  Pace of(String key) {
    Pace pace = byName.get(key);
    if (pace == null) {
      pace = byFunction.apply(key);
    }
    if (pace == null) {
      pace = byDefault;
    }
    if (pace == null) {
      throw new IllegalArgumentException(
          "key must have a pace, \"" + key + "\" has none: give it one by name, by function, or set a default");
    }
    return pace;
  }

  void set(String key, Pace pace) {
    byName.put(key, pace);
  }

  void setDefault(Pace pace) {
    byDefault = pace;
  }
}
