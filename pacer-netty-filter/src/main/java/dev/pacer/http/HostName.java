package dev.pacer.http;

import java.io.ByteArrayOutputStream;
import java.net.IDN;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A host in one spelling. Anything that is not empty is a host: what is wrong with it the resolver will say. */
final class HostName {

  private static final Pattern INVISIBLE = Pattern.compile("[^!-~]");

  /** Of a DNS name, with room for white space and dots that the conversion drops. */
  private static final int LONGEST_NAME = 512;

  private HostName() {}

  /** Empty if nothing is left. What is canonical stays as it is. */
  static String canonical(String host) {
    if (isCanonicalName(host)) {
      return host;
    }
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    String inside = bracketed ? host.substring(1, host.length() - 1) : host;
    if (bracketed && inside.isEmpty()) {
      return "";
    }
    String address = bracketed || host.indexOf(':') >= 0 ? literal(inside) : null;
    return address == null ? name(host) : address;
  }

  /** Nearly every host is, and is asked for with every request. */
  private static boolean isCanonicalName(String host) {
    for (int i = 0; i < host.length(); i++) {
      char c = host.charAt(i);
      boolean plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
      if (!plain) {
        return false;
      }
    }
    return !host.isEmpty() && !host.endsWith(".");
  }

  /** An IPv6 address with its zone, which is part of it: one host has several. Null if it is none. */
  private static @Nullable String literal(String inside) {
    int percent = inside.indexOf('%');
    String address = Ipv6.canonical(percent < 0 ? inside : inside.substring(0, percent));
    if (address == null || address.indexOf(':') < 0) {
      return address;
    }
    // RFC 6874: the percent sign before a zone is itself percent-encoded
    String zone = percent < 0 ? "" : inside.substring(percent + (inside.startsWith("25", percent + 1) ? 3 : 1));
    return "[" + address + (zone.isEmpty() ? "" : "%25" + printable(zone)) + "]";
  }

  /** A percent sign that encodes nothing stays, unless the conversion has changed what follows it so that it does. */
  private static String name(String host) {
    String once = spelled(host);
    return spelled(once).equals(once) ? once : spelled(once.replace('%', '?'));
  }

  private static String spelled(String host) {
    String ascii = printable(ascii(decoded(host)).toLowerCase(Locale.ROOT));
    int end = ascii.length();
    while (end > 0 && ascii.charAt(end - 1) == '.') {
      end--;
    }
    return ascii.substring(0, end);
  }

  private static String ascii(String host) {
    // the conversion takes quadratic time, and a redirect's host is somebody else's input
    if (host.length() > LONGEST_NAME || host.chars().allMatch(c -> c < 128)) {
      return host;
    }
    try {
      return IDN.toASCII(host, IDN.ALLOW_UNASSIGNED);
    } catch (IllegalArgumentException | IndexOutOfBoundsException noSuchName) {
      return host;
    }
  }

  /** RFC 3986 §3.2.2 allows percent-encoded UTF-8 in a name: a letter must not become another key by that. */
  private static String decoded(String host) {
    if (host.indexOf('%') < 0) {
      return host;
    }
    byte[] raw = host.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(raw.length);
    for (int i = 0; i < raw.length; i++) {
      int octet = raw[i] == '%' && i + 2 < raw.length ? octet(raw[i + 1], raw[i + 2]) : -1;
      bytes.write(octet < 0 ? raw[i] : octet);
      i += octet < 0 ? 0 : 2;
    }
    String decoded = bytes.toString(StandardCharsets.UTF_8);
    return decoded.codePoints().allMatch(HostName::inAName) ? decoded : host;
  }

  private static int octet(byte high, byte low) {
    int h = Character.digit((char) high, 16);
    int l = Character.digit((char) low, 16);
    return h < 0 || l < 0 ? -1 : h << 4 | l;
  }

  private static boolean inAName(int c) {
    boolean accent = Character.getType(c) == Character.NON_SPACING_MARK;
    return Character.isLetterOrDigit(c) || accent || c == '.' || c == '-' || c == '_';
  }

  /** Keys are written to logs, and to a database that has no NUL. No host that exists has other characters. */
  private static String printable(String host) {
    return INVISIBLE.matcher(host).replaceAll("?");
  }
}
