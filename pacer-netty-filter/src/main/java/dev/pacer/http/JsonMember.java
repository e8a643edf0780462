package dev.pacer.http;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the strings and numbers that a JSON text has under a name, at whatever depth. Not a JSON parser: it takes
 * the text as it comes, also one that was cut off, and needs no library. A name that is quoted within a string
 * is not found, because its quotes are escaped there.
 */
final class JsonMember {

  private JsonMember() {}

  static List<String> values(String json, String name) {
    String quoted = '"' + name + '"';
    List<String> values = new ArrayList<>();
    for (int at = json.indexOf(quoted); at >= 0; at = json.indexOf(quoted, at + 1)) {
      int colon = skipBlank(json, at + quoted.length());
      if (colon < json.length() && json.charAt(colon) == ':') {
        int from = skipBlank(json, colon + 1);
        int to = end(json, from);
        if (to > from) {
          values.add(json.charAt(from) == '"' ? json.substring(from + 1, to) : json.substring(from, to));
        }
      }
    }
    return values;
  }

  /** Where the string (its quote not counted) or the number that starts here ends; here, if neither does. */
  private static int end(String json, int from) {
    if (from < json.length() && json.charAt(from) == '"') {
      return Math.max(from, json.indexOf('"', from + 1));
    }
    int to = from;
    while (to < json.length() && "+-.0123456789eE".indexOf(json.charAt(to)) >= 0) {
      to++;
    }
    return to;
  }

  private static int skipBlank(String json, int from) {
    int at = from;
    while (at < json.length() && " \t\r\n".indexOf(json.charAt(at)) >= 0) {
      at++;
    }
    return at;
  }
}
