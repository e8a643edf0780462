package dev.pacer.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The table's definition, as it is shipped for migration tools too. */
final class Ddl {

  static final String RESOURCE = "dev/pacer/postgres/pacer_cursor.sql";

  private Ddl() {}

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
