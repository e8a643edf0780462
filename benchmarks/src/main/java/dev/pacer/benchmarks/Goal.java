package dev.pacer.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a measurement is meant to show. Among the conditions of a {@link Sheet} it is one that begins with "goal: ".
 *
 * @param what is to be reached
 * @param verdict begins with "met" or "missed", and goes on with what was found
 */
record Goal(String what, String verdict) {

  private static final String KEY = "goal";
  private static final String PREFIX = KEY + ":";

  static Goal atLeast(String what, double goal, double found) {
    return of(what + " at least " + text(goal), found >= goal, found);
  }

  static Goal atMost(String what, double goal, double found) {
    return of(what + " at most " + text(goal), found <= goal, found);
  }

  private static String text(double goal) {
    return goal == Math.rint(goal) ? Sheet.Figure.text(goal) : String.valueOf(goal);
  }

  private static Goal of(String what, boolean met, double found) {
    return new Goal(what, (met ? "met: " : "missed: ") + Sheet.Figure.text(found));
  }

  /** Also those of a sheet that has one goal, as the condition "goal", and says "yes" or "no" to "met". */
  static List<Goal> of(Sheet sheet) {
    List<Goal> goals = new ArrayList<>();
    Map<String, String> conditions = sheet.conditions();
    conditions.forEach(
        (key, value) -> {
          if (key.equals(KEY)) {
            goals.add(new Goal(value, plain(conditions.getOrDefault("met", ""))));
          } else if (key.startsWith(PREFIX)) {
            goals.add(new Goal(key.substring(PREFIX.length()).strip(), value));
          }
        });
    return goals;
  }

  /** Whether a condition is none, but says something of a goal. */
  static boolean isGoal(String condition) {
    return condition.equals("met") || condition.equals(KEY) || condition.startsWith(PREFIX);
  }

  private static String plain(String answer) {
    return switch (answer.toLowerCase(Locale.ROOT)) {
      case "yes", "true" -> "met";
      case "no", "false" -> "missed";
      default -> answer;
    };
  }

  boolean met() {
    return verdict.startsWith("met");
  }

  boolean missed() {
    return verdict.startsWith("missed");
  }

  String condition() {
    return PREFIX + " " + what;
  }
}
