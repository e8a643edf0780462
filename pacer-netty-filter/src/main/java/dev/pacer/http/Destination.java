package dev.pacer.http;

import java.net.URI;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * Where a request goes: the key of whoever paces by host. Two spellings of one destination are one key.
 *
 * <p>The key is the host and, where it is not the default of the scheme, the port. The scheme is not part of it, so
 * {@code http://host} and {@code https://host} are one destination: it is the same vendor who counts. A port that
 * was named and is not the default makes another: {@code http://host:443} is {@code host:443}. Credentials, path
 * and query are not part of it either.
 *
 * <p>The host is in lower case, without a dot at its end, in ASCII (IDNA 2003, as {@link java.net.IDN} has it), with
 * percent-encoded letters decoded; where that makes no name, what is not visible ASCII is {@code ?}. An IPv6
 * address is in brackets in the spelling of RFC 5952; one that is mapped to IPv4 is that. A zone id stays, since it
 * is part of where the request goes. Underscores and whatever else {@link URI#getHost} finds no host in are kept.
 *
 * <p>Immutable and thread-safe.
 *
 * @param host in its canonical spelling
 * @param port empty where it is the default
 */
public record Destination(String host, OptionalInt port) {

  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*");
  private static final int LAST_PORT = 65_535;
  private static final int NO_PORT = -1;

  /**
   * Brings the host into its canonical spelling.
   *
   * @throws IllegalArgumentException if there is no host, or no such port
   */
  public Destination {
    String given = host;
    host = HostName.canonical(given);
    if (host.isEmpty()) {
      throw new IllegalArgumentException("host must not be empty, was " + shown(given));
    }
    if (port.isPresent() && (port.getAsInt() < 0 || port.getAsInt() > LAST_PORT)) {
      throw new IllegalArgumentException("port must be from 0 to 65535, was " + port.getAsInt());
    }
  }

  /**
   * The destination of a request.
   *
   * @throws IllegalArgumentException if the URI names no host
   */
  public static Destination of(URI uri) {
    return of(uri.toString());
  }

  /**
   * The destination of a request, for a URI that {@link URI} may not accept.
   *
   * @throws IllegalArgumentException if it names no host
   */
  public static Destination of(String uri) {
    int slashes = uri.indexOf("//");
    String scheme = slashes > 0 && uri.charAt(slashes - 1) == ':' ? uri.substring(0, slashes - 1) : "";
    if (slashes != 0 && !isScheme(scheme)) {
      throw new IllegalArgumentException("uri must name a host, was " + shown(uri));
    }
    int end = slashes + 2;
    while (end < uri.length() && "/?#".indexOf(uri.charAt(end)) < 0) {
      end++;
    }
    return of(scheme, uri.substring(slashes + 2, end));
  }

  /**
   * The destination of a request whose scheme and authority are known apart.
   *
   * @param scheme decides which port is the default: 80 for {@code http} and {@code ws}, 443 for {@code https} and
   *     {@code wss}, none for others
   * @param authority a host, maybe with a port, maybe with credentials before it
   * @throws IllegalArgumentException if it names no host
   */
  public static Destination of(String scheme, String authority) {
    String place = authority.substring(authority.lastIndexOf('@') + 1);
    int colon = place.lastIndexOf(':');
    // of an address without brackets the part after the last colon is no port
    boolean parted = place.startsWith("[") ? place.startsWith("]", colon - 1) : colon == place.indexOf(':');
    int number = colon >= 0 && parted ? number(place, colon + 1) : NO_PORT;
    if (number == NO_PORT) {
      return of(place, OptionalInt.empty(), authority);
    }
    boolean standard = colon + 1 == place.length() || number == standardPort(scheme);
    return of(place.substring(0, colon), standard ? OptionalInt.empty() : OptionalInt.of(number), authority);
  }

  /** The destination as one word, for instance {@code api.example.com} or {@code [2001:db8::1]:8080}. */
  public String key() {
    return port.isPresent() ? host + ":" + port.getAsInt() : host;
  }

  @Override
  public String toString() {
    return key();
  }

  private static Destination of(String host, OptionalInt port, String authority) {
    if (HostName.canonical(host).isEmpty()) {
      throw new IllegalArgumentException("authority must name a host, was " + shown(authority));
    }
    return new Destination(host, port);
  }

  private static boolean isScheme(String scheme) {
    return standardPort(scheme) != NO_PORT || SCHEME.matcher(scheme).matches();
  }

  /** The digits from there to the end; of none, 0. */
  private static int number(String place, int from) {
    int number = 0;
    for (int i = from; i < place.length(); i++) {
      int digit = place.charAt(i) - '0';
      if (digit < 0 || digit > 9 || number > LAST_PORT) {
        return NO_PORT;
      }
      number = 10 * number + digit;
    }
    return number > LAST_PORT ? NO_PORT : number;
  }

  private static int standardPort(String scheme) {
    return switch (scheme.toLowerCase(Locale.ROOT)) {
      case "http", "ws" -> 80;
      case "https", "wss" -> 443;
      default -> NO_PORT;
    };
  }

  /** For messages: without credentials and query, which are secrets, and without what would break a log. */
  private static String shown(String value) {
    String bare = value.replaceFirst("(?s)[?#].*", "").replaceFirst("(?s)^([^/]*//)?[^/]*@", "$1");
    String safe = bare.replaceAll("\\p{C}", "?");
    return "\"" + (safe.length() <= 80 ? safe : safe.substring(0, 80) + "…") + "\"";
  }
}
