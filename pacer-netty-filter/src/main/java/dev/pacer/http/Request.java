package dev.pacer.http;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a request before it is sent, whatever client sends it. Immutable, as far as its fields are.
 *
 * @param method in upper case
 * @param uri absolute where the client knows it
 * @param fields gives the lines of a header field, by its name in any letter case; none, or null, if it is absent.
 *     What filters between here and the wire add is not seen
 */
public record Request(String method, String uri, Function<String, @Nullable List<String>> fields) {

  /**
   * Where it goes.
   *
   * @throws IllegalArgumentException if that cannot be told from the URI
   */
  public Destination destination() {
    try {
      return Destination.of(uri);
    } catch (IllegalArgumentException unknown) {
      throw new IllegalArgumentException(
          unknown.getMessage() + "; a request that does not say where it goes needs a key of its own", unknown);
    }
  }
}
