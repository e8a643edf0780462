package dev.pacer;

import org.jspecify.annotations.Nullable;

/** What a key may be. */
public final class Keys {

  private static final int LONGEST = 512;

  private Keys() {}

  /**
   * One key out of several parts, different for different parts: {@code ("a", "b/c")} and {@code ("a/b",
   * "c")} stay apart. Parts are joined by {@code /}; a {@code /} or {@code \} within a part is escaped by
   * {@code \}.
   */
  public static String join(String... parts) {
    StringBuilder key = new StringBuilder();
    for (int i = 0; i < parts.length; i++) {
      key.append(i == 0 ? "" : "/").append(parts[i].replace("\\", "\\\\").replace("/", "\\/"));
    }
    return check(key.toString());
  }

  /**
   * Returns the key if it is one: 1 to 512 characters of text, without NUL.
   *
   * @throws IllegalArgumentException naming the rule and the value
   */
  static String check(String key) {
    if (isNull(key)) {
      throw new IllegalArgumentException("key must have 1 to " + LONGEST + " characters, was null");
    }
    if (key.isEmpty() || key.length() > LONGEST) {
      throw new IllegalArgumentException(
          "key must have 1 to " + LONGEST + " characters, had " + key.length() + ": " + abridged(key));
    }
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (c == 0) {
        throw new IllegalArgumentException("key must not contain NUL, had one at " + i + ": " + abridged(key));
      }
      if (Character.isSurrogate(c)) {
        // a lone half has no UTF-8 form: two such keys could become one in the database
        if (i + 1 == key.length() || !Character.isSurrogatePair(c, key.charAt(i + 1))) {
          throw new IllegalArgumentException(
              "key must be text, had half a surrogate pair at " + i + ": " + abridged(key));
        }
        i++;
      }
    }
    return key;
  }

  /** Whoever has no null checker may pass one. */
  private static boolean isNull(@Nullable Object value) {
    return value == null;
  }

  private static String abridged(String key) {
    String shown = key.length() <= 40 ? key : key.substring(0, 40) + "…";
    return "\"" + shown.replaceAll("\\p{C}", "?") + "\"";
  }
}
