package dev.pacer.benchmarks.plot;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Who has which colour: pacer always the same one, everybody else the same one all over a page. The colours themselves
 * are the style sheet's, for light and dark, and differ in lightness so that nobody depends on hue. Not thread-safe.
 */
public final class Hues {

  private static final int OTHERS = 6;

  private final Map<String, Integer> others = new LinkedHashMap<>();

  /** The style class of a case: whose it is stands before its first comma. */
  public String of(String name) {
    String who = who(name);
    return isPacer(who) ? "pacer" : "hue" + others.computeIfAbsent(who, other -> others.size() % OTHERS + 1);
  }

  /** Of one of several that are the same in all but number. */
  static String ofNumber(int number) {
    return "hue" + (Math.floorMod(number, OTHERS) + 1);
  }

  public static boolean isPacer(String name) {
    return who(name).toLowerCase(Locale.ROOT).matches("\\W*pac(er|ing|ed).*");
  }

  static String who(String name) {
    int comma = name.indexOf(',');
    return comma < 0 ? name : name.substring(0, comma);
  }
}
