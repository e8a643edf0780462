package dev.pacer.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakeException;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.netty.Connection;
import reactor.netty.http.client.HttpClientResponse;

/** Reactor Netty's connection to whom the head of a response has come; it is the response at the same time. */
final class NettyResponses implements Client<Connection> {

  @Override
  public Class<Connection> type() {
    return Connection.class;
  }

  @Override
  public void letGo(Connection connection) {
    connection.dispose();
  }

  @Override
  public Head head(Connection connection) {
    HttpClientResponse response = (HttpClientResponse) connection;
    boolean redirected = response.redirectedFrom().length > 0;
    return new Head(
        response.method().name(),
        response.status().code(),
        name -> lines(response.responseHeaders(), name),
        redirected ? response.resourceUrl() : null);
  }

  /**
   * The buffers are made numbers at once: what ignores or skips buffers themselves tells the caller's hook for
   * discarded elements, which releases them, and then they are released twice.
   */
  @Override
  public Flux<Integer> body(Connection connection, @Nullable ByteArrayOutputStream copy) {
    return connection.inbound().receive().map(buffer -> size(buffer, copy));
  }

  private static int size(ByteBuf buffer, @Nullable ByteArrayOutputStream copy) {
    int size = buffer.readableBytes();
    if (copy != null) {
      byte[] bytes = new byte[size];
      buffer.getBytes(buffer.readerIndex(), bytes);
      copy.writeBytes(bytes);
    }
    return size;
  }

  /** The body is the caller's alone. */
  @Override
  public Connection overheard(Connection connection, Consumer<String> body) {
    return connection;
  }

  @Override
  public @Nullable Head headIn(Throwable error) {
    if (error instanceof WebSocketClientHandshakeException refused && refused.response() != null) {
      HttpResponse response = refused.response();
      return new Head("GET", response.status().code(), name -> lines(response.headers(), name), null);
    }
    return null;
  }

  /** Netty makes a list of what is absent too, and nearly all that is asked for is. */
  private static @Nullable List<String> lines(HttpHeaders headers, String name) {
    return headers.contains(name) ? headers.getAll(name) : null;
  }
}
