package dev.pacer.http;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** An IPv6 address in one spelling, RFC 5952. Read by hand: {@code InetAddress} may ask a name server. */
final class Ipv6 {

  private static final int GROUPS = 8;
  private static final int MAPPED = 5;
  private static final Pattern GROUP = Pattern.compile("[0-9A-Fa-f]{1,4}");
  private static final Pattern TAIL = Pattern.compile("(.*:)([0-9]{1,3})\\.([0-9]{1,3})\\.([0-9]{1,3})\\.([0-9]{1,3})");

  private Ipv6() {}

  /**
   * The address in lower case with its longest run of zeros left out, without brackets; an address that is mapped to
   * IPv4 as that.
   *
   * @param address without brackets and without zone
   * @return null if it is none
   */
  static @Nullable String canonical(String address) {
    int[] groups = groups(address);
    if (groups == null) {
      return null;
    }
    boolean mapped = groups[MAPPED] == 0xffff && Arrays.stream(groups, 0, MAPPED).allMatch(group -> group == 0);
    return mapped
        ? (groups[6] >> 8) + "." + (groups[6] & 255) + "." + (groups[7] >> 8) + "." + (groups[7] & 255)
        : compressed(groups);
  }

  private static int @Nullable [] groups(String address) {
    String text = dotsAsGroups(address);
    int gap = text.indexOf("::");
    List<String> head = parts(gap < 0 ? text : text.substring(0, gap));
    List<String> tail = gap < 0 ? List.of() : parts(text.substring(gap + 2));
    int given = head.size() + tail.size();
    if (gap < 0 ? given != GROUPS : given >= GROUPS) {
      return null;
    }
    List<String> all = new ArrayList<>(head);
    all.addAll(Collections.nCopies(GROUPS - given, "0"));
    all.addAll(tail);
    boolean valid = all.stream().allMatch(group -> GROUP.matcher(group).matches());
    return valid ? all.stream().mapToInt(group -> Integer.parseInt(group, 16)).toArray() : null;
  }

  /** The last two groups may be written as IPv4. */
  private static String dotsAsGroups(String address) {
    Matcher match = TAIL.matcher(address);
    if (!match.matches()) {
      return address;
    }
    int[] bytes = new int[4];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = Integer.parseInt(match.group(i + 2));
      if (bytes[i] > 255) {
        return address;
      }
    }
    return match.group(1)
        + Integer.toHexString(bytes[0] << 8 | bytes[1])
        + ":"
        + Integer.toHexString(bytes[2] << 8 | bytes[3]);
  }

  private static List<String> parts(String groups) {
    return groups.isEmpty() ? List.of() : List.of(groups.split(":", -1));
  }

  private static String compressed(int[] groups) {
    int from = 0;
    int length = 1;
    for (int i = 0; i < GROUPS; i++) {
      int run = zeros(groups, i);
      if (run > length) {
        from = i;
        length = run;
      }
    }
    return length < 2
        ? join(groups, 0, GROUPS)
        : join(groups, 0, from) + "::" + join(groups, from + length, GROUPS);
  }

  private static int zeros(int[] groups, int from) {
    int to = from;
    while (to < GROUPS && groups[to] == 0) {
      to++;
    }
    return to - from;
  }

  private static String join(int[] groups, int from, int to) {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < to; i++) {
      text.append(i == from ? "" : ":").append(Integer.toHexString(groups[i]));
    }
    return text.toString();
  }
}
