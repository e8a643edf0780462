package dev.pacer.http;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.publisher.Flux;

/** WebClient's responses to a request with this method. */
record WebResponses(String method) implements Client<ClientResponse> {

  @Override
  public Class<ClientResponse> type() {
    return ClientResponse.class;
  }

  /** Its connector has heard of the cancel itself. */
  @Override
  public void letGo(ClientResponse response) {}

  @Override
  public Head head(ClientResponse response) {
    return new Head(method, response.statusCode().value(), name -> response.headers().header(name), null);
  }

  @Override
  public Flux<Integer> body(ClientResponse response, @Nullable ByteArrayOutputStream copy) {
    return response
        .bodyToFlux(DataBuffer.class)
        .map(
            buffer -> {
              int size = buffer.readableByteCount();
              copy(buffer, copy);
              DataBufferUtils.release(buffer);
              return size;
            });
  }

  private static void copy(DataBuffer buffer, @Nullable ByteArrayOutputStream copy) {
    if (copy != null && copy.size() <= Course.MOST_READ) {
      byte[] bytes = new byte[buffer.readableByteCount()];
      buffer.toByteBuffer(ByteBuffer.wrap(bytes));
      copy.writeBytes(bytes);
    }
  }

  @Override
  public ClientResponse overheard(ClientResponse response, Consumer<String> body) {
    return response
        .mutate()
        .body(
            buffers ->
                Flux.defer(
                    () -> {
                      ByteArrayOutputStream copy = new ByteArrayOutputStream();
                      return buffers
                          .doOnNext(buffer -> copy(buffer, copy))
                          .doOnComplete(() -> body.accept(copy.toString(StandardCharsets.UTF_8)));
                    }))
        .build();
  }

  /** A filter between here and the wire made an error of an answer. */
  @Override
  public @Nullable Head headIn(Throwable error) {
    if (error instanceof WebClientResponseException answered) {
      HttpHeaders headers = answered.getHeaders();
      return new Head(method, answered.getStatusCode().value(), name -> lines(headers, name), null);
    }
    return null;
  }

  /** By a way that is in Spring 6 and 7 alike: its headers were a Map once, and are not any more. */
  static List<String> lines(HttpHeaders headers, String name) {
    List<String> lines = new ArrayList<>();
    headers.forEach(
        (field, values) -> {
          if (field.equalsIgnoreCase(name)) {
            lines.addAll(values);
          }
        });
    return lines;
  }
}
