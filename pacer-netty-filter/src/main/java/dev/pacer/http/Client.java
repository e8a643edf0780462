package dev.pacer.http;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** All that the loop needs to know of an HTTP client, whose response is an {@code R}. Thread-safe. */
interface Client<R> {

  Class<R> type();

  /** Gives up a response that nobody will read. */
  void letGo(R response);

  /** Reads nothing of the body. */
  Head head(R response);

  /**
   * The sizes of the pieces of the body, each of which is released as it is read. Cancelling gives up the rest of
   * the body, if need be together with its connection.
   *
   * @param copy takes a copy of what is read, if anybody wants one
   */
  Flux<Integer> body(R response, @Nullable ByteArrayOutputStream copy);

  /** The same response, whose body, when its reader has read it, is told as well; itself where that cannot be. */
  R overheard(R response, Consumer<String> body);

  /** The answer that an error carries, where the client makes errors of some answers. */
  @Nullable Head headIn(Throwable error);

  /**
   * An answer without its body.
   *
   * @param uri the absolute one that answered, where the client knows; it may have been redirected to there
   */
  record Head(String method, int status, Function<String, @Nullable List<String>> fields, @Nullable String uri) {}
}
