package dev.pacer.benchmarks.plot;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * An element of HTML or SVG, and what is in it. Escapes all text and attributes; what it writes is both HTML and XML.
 * Not thread-safe.
 */
public final class Element {

  /** HTML wants these without an end, everything else with one. */
  private static final Set<String> VOID = Set.of("meta", "br", "hr");

  private final String name;
  private final StringBuilder attributes = new StringBuilder();
  private final List<Object> content = new ArrayList<>();

  private Element(String name) {
    this.name = name;
  }

  /** An element with attributes: their names and values in turn. */
  public static Element of(String name, Object... attributes) {
    Element element = new Element(name);
    for (int i = 0; i < attributes.length; i += 2) {
      element.attributes.append(' ').append(attributes[i]).append("=\"").append(quoted(text(attributes[i + 1]))).append('"');
    }
    return element;
  }

  /** An element of a class, which is what most are. */
  public static Element ofClass(String name, String styleClass) {
    return of(name, "class", styleClass);
  }

  public Element add(Element... children) {
    content.addAll(List.of(children));
    return this;
  }

  public Element add(List<Element> children) {
    content.addAll(children);
    return this;
  }

  public Element text(String text) {
    content.add(escaped(text));
    return this;
  }

  /** A part of the whole width, from 0 to 1. */
  static String percent(double part) {
    return text(part * 100) + "%";
  }

  private static String text(Object value) {
    return value instanceof Double number
        ? String.format(Locale.ROOT, "%.2f", number).replaceFirst("\\.?0+$", "")
        : value.toString();
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String quoted(String value) {
    return escaped(value).replace("\"", "&quot;");
  }

  @Override
  public String toString() {
    StringBuilder all = new StringBuilder();
    write(all);
    return all.toString();
  }

  private void write(StringBuilder out) {
    out.append('<').append(name).append(attributes);
    if (VOID.contains(name)) {
      out.append("/>");
      return;
    }
    out.append('>');
    for (Object part : content) {
      if (part instanceof Element child) {
        child.write(out);
      } else {
        out.append(part);
      }
    }
    out.append("</").append(name).append('>');
    if (!content.isEmpty() && content.get(0) instanceof Element) {
      out.append('\n');
    }
  }
}
