package dev.pacer.http;

import dev.pacer.Backoff;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.scheduler.VirtualTimeScheduler;

/** The loop alone, in virtual time, with a client that is a script. One call a second, unless a test says otherwise. */
abstract class CourseWorld {

  static final String KEY = "api.example.com";

  final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  final Recorder recorder = new Recorder();
  final Pacer pacer =
      Pacer.builder()
          .defaultPace(Pace.perSecond(1))
          .backoff(Backoff.DEFAULT.jitter(Duration.ZERO).widening(0, 1, false))
          .scheduler(time)
          .listener(recorder)
          .build();
  final List<Long> sentAt = new ArrayList<>();
  final List<Object> seen = new ArrayList<>();
  Function<Integer, Mono<Response>> script = n -> Mono.just(ok());
  Function<String, List<String>> headers = name -> List.of();
  int bodiesRead;

  /** A scripted answer. */
  record Response(int status, Map<String, List<String>> fields, Flux<String> body) {}

  static Response ok() {
    return new Response(200, Map.of(), Flux.just("fine"));
  }

  static Response status(int status, String... field) {
    Map<String, List<String>> fields = field.length == 0 ? Map.of() : Map.of(field[0], List.of(field[1]));
    return new Response(status, fields, Flux.just("no"));
  }

  final class Scripted implements Client<Response> {
    private final String method;

    Scripted(String method) {
      this.method = method;
    }

    @Override
    public Class<Response> type() {
      return Response.class;
    }

    @Override
    public void letGo(Response response) {}

    @Override
    public Head head(Response response) {
      return new Head(method, response.status(), name -> response.fields().get(name), null);
    }

    @Override
    public Flux<Integer> body(Response response, @Nullable ByteArrayOutputStream copy) {
      return response
          .body()
          .map(
              text -> {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                if (copy != null) {
                  copy.writeBytes(bytes);
                }
                return bytes.length;
              })
          .doOnSubscribe(read -> bodiesRead++);
    }

    @Override
    public Response overheard(Response response, Consumer<String> body) {
      response.body().collectList().subscribe(all -> body.accept(String.join("", all)));
      return response;
    }

    @Override
    public @Nullable Head headIn(Throwable error) {
      return null;
    }
  }

  Mono<Response> request(UnaryOperator<HttpPacing.Builder> settings, String method, RequestPacing own) {
    HttpPacing engine = settings.apply(HttpPacing.builder(pacer).scheduler(time)).build();
    return Mono.defer(
        () -> {
          Course<Response> course = new Course<>(engine, new Scripted(method), own);
          Request request = new Request(method, "https://" + KEY + "/x", headers);
          Mono<Response> sending =
              Mono.defer(
                  () -> {
                    sentAt.add(time.now(TimeUnit.MILLISECONDS));
                    return script.apply(sentAt.size());
                  });
          return course.run(course.sendAfter(course.admit(request), sending));
        });
  }

  Disposable send(UnaryOperator<HttpPacing.Builder> settings, String method, RequestPacing own) {
    return request(settings, method, own).subscribe(r -> seen.add(r.status()), seen::add);
  }

  Disposable send() {
    return send(b -> b, "GET", RequestPacing.NONE);
  }

  void pass(Duration duration) {
    time.advanceTimeBy(duration);
  }
}
