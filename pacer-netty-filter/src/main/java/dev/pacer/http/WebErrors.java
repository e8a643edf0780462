package dev.pacer.http;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * The answers that WebClient makes errors of. Needs Spring only when it meets one, and then it is there: therefore it
 * asks for the name of the class before it uses it.
 */
final class WebErrors {

  private static final String NAME = "org.springframework.web.reactive.function.client.WebClientResponseException";
  private static final String UNKNOWN = "";

  private WebErrors() {}

  static Optional<Client.Head> head(Throwable error) {
    return isAnswer(error) ? Optional.ofNullable(new WebResponses(UNKNOWN).headIn(error)) : Optional.empty();
  }

  private static boolean isAnswer(Throwable error) {
    return Stream.<Class<?>>iterate(error.getClass(), Throwable.class::isAssignableFrom, Class::getSuperclass)
        .anyMatch(type -> type.getName().equals(NAME));
  }
}
