package dev.pacer.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The tables' definitions, as they are shipped for migration tools too. */
final class Ddl {

  static final String RESOURCE = "dev/pacer/postgres/pacer_cursor.sql";

  private Ddl() {}

  /** With other names for the two tables. */
  static String text(String cursors, String processes) {
    return Pattern.compile("\\bpacer_cursor(_process)?\\b")
        .matcher(text())
        .replaceAll(name -> Matcher.quoteReplacement(name.group(1) == null ? cursors : processes));
  }

  static String text() {
    try (InputStream in = Ddl.class.getResourceAsStream("pacer_cursor.sql")) {
      if (in == null) {
        throw new IllegalStateException(RESOURCE + " is missing from the class path");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
