package dev.pacer.http;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A strict parser of Structured Fields, RFC 9651: lists and dictionaries of items with parameters. A field with one
 * fault in it is no field (§4.2), so the answer is all of it or null.
 *
 * <p>Values come as Java's {@link Long}, {@link BigDecimal}, {@link String} and {@link Boolean}; tokens as {@link
 * Token}; and byte sequences, dates, display strings and inner lists, of which no rate limit field makes use, as
 * {@link Other}.
 */
final class StructuredField {

  private static final int LONGEST = 8_192;

  private final String text;
  private int at;

  private StructuredField(String text) {
    this.text = text;
  }

  /** A value and its parameters. */
  record Item(Object value, Map<String, Object> parameters) {}

  /** A word without quotes. */
  record Token(String text) {}

  /** A value of a type that nobody here reads. */
  record Other() {}

  /** Thrown within this class only. */
  private static final class Malformed extends Exception {
    Malformed() {
      super(null, null, false, false);
    }
  }

  static @Nullable List<Item> list(List<String> lines) {
    if (lines.isEmpty()) {
      return List.of();
    }
    StructuredField field = new StructuredField(String.join(",", lines));
    try {
      return field.members();
    } catch (Malformed none) {
      return null;
    }
  }

  static @Nullable Map<String, Item> dictionary(List<String> lines) {
    StructuredField field = new StructuredField(String.join(",", lines));
    try {
      return field.entries();
    } catch (Malformed none) {
      return null;
    }
  }

  private List<Item> members() throws Malformed {
    List<Item> members = new ArrayList<>();
    start();
    while (!ended()) {
      members.add(member());
      next();
    }
    return members;
  }

  private Map<String, Item> entries() throws Malformed {
    Map<String, Item> entries = new LinkedHashMap<>();
    start();
    while (!ended()) {
      String key = key();
      entries.put(key, skip('=') ? member() : new Item(true, parameters()));
      next();
    }
    return entries;
  }

  private void start() throws Malformed {
    require(text.length() <= LONGEST);
    spaces();
  }

  /** From the end of a member to the next one: white space, and a comma that something follows. */
  private void next() throws Malformed {
    blanks();
    if (!ended()) {
      require(skip(','));
      blanks();
      require(!ended());
    }
  }

  private Item member() throws Malformed {
    if (!skip('(')) {
      return item();
    }
    spaces();
    while (!skip(')')) {
      item();
      require(peek() == ' ' || peek() == ')');
      spaces();
    }
    return new Item(new Other(), parameters());
  }

  private Item item() throws Malformed {
    return new Item(value(), parameters());
  }

  private Map<String, Object> parameters() throws Malformed {
    Map<String, Object> parameters = new LinkedHashMap<>();
    while (skip(';')) {
      spaces();
      String key = key();
      parameters.put(key, skip('=') ? value() : true);
    }
    return parameters;
  }

  private String key() throws Malformed {
    int from = at;
    require(lower(peek()) || peek() == '*');
    while (lower(peek()) || digit(peek()) || in("_-.*", peek())) {
      at++;
    }
    return text.substring(from, at);
  }

  private Object value() throws Malformed {
    char first = peek();
    if (first == '-' || digit(first)) {
      return number();
    }
    if (lower(first) || upper(first) || first == '*') {
      return token();
    }
    at++;
    return switch (first) {
      case '"' -> string();
      case '?' -> bool();
      case ':' -> bytes();
      case '@' -> date();
      case '%' -> display();
      default -> throw new Malformed();
    };
  }

  private Object number() throws Malformed {
    int from = at;
    skip('-');
    int whole = digits();
    if (!skip('.')) {
      require(whole >= 1 && whole <= 15);
      return Long.valueOf(text.substring(from, at));
    }
    int fraction = digits();
    require(whole >= 1 && whole <= 12 && fraction >= 1 && fraction <= 3);
    return new BigDecimal(text.substring(from, at));
  }

  private int digits() {
    int from = at;
    while (digit(peek())) {
      at++;
    }
    return at - from;
  }

  private Token token() {
    int from = at;
    while (lower(peek()) || upper(peek()) || digit(peek()) || in("!#$%&'*+-.^_`|~:/", peek())) {
      at++;
    }
    return new Token(text.substring(from, at));
  }

  private String string() throws Malformed {
    StringBuilder string = new StringBuilder();
    while (!skip('"')) {
      boolean escaped = skip('\\');
      char c = peek();
      require(c >= ' ' && c <= '~' && (!escaped || in("\"\\", c)));
      string.append(c);
      at++;
    }
    return string.toString();
  }

  private Boolean bool() throws Malformed {
    require(in("01", peek()));
    return text.charAt(at++) == '1';
  }

  private Other bytes() throws Malformed {
    while (!skip(':')) {
      require(lower(peek()) || upper(peek()) || digit(peek()) || in("+/=", peek()));
      at++;
    }
    return new Other();
  }

  private Other date() throws Malformed {
    require(number() instanceof Long);
    return new Other();
  }

  private Other display() throws Malformed {
    require(skip('"'));
    while (!skip('"')) {
      require(peek() >= ' ' && peek() <= '~');
      at++;
    }
    return new Other();
  }

  private void spaces() {
    while (skip(' ')) {}
  }

  private void blanks() {
    while (skip(' ') || skip('\t')) {}
  }

  private boolean skip(char c) {
    boolean there = !ended() && text.charAt(at) == c;
    at += there ? 1 : 0;
    return there;
  }

  /** The next character; at the end NUL, which no rule allows. */
  private char peek() {
    return ended() ? 0 : text.charAt(at);
  }

  private boolean ended() {
    return at == text.length();
  }

  private static void require(boolean rule) throws Malformed {
    if (!rule) {
      throw new Malformed();
    }
  }

  private static boolean lower(char c) {
    return c >= 'a' && c <= 'z';
  }

  private static boolean upper(char c) {
    return c >= 'A' && c <= 'Z';
  }

  private static boolean digit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean in(String characters, char c) {
    return characters.indexOf(c) >= 0;
  }
}
