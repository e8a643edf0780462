package dev.pacer.http;

import dev.pacer.Backoff;
import dev.pacer.Fallback;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.postgres.PostgresCursor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/**
 * An operating-system process that calls a vendor, paced through a database. Both sides are here. Each request says
 * whose it is and when it was sent, in {@code System.nanoTime()}, which on Linux all processes of a machine share.
 */
final class HttpProcess implements AutoCloseable {

  /** The header that says which process sent a request. */
  static final String WHO = "X-Process";

  /** The header that says when it was sent. */
  static final String SENT = "X-Sent";

  private static final String WARM_UP = "/warm-up";

  private final Process process;
  private final BufferedReader answers;

  private HttpProcess(Process process) {
    this.process = process;
    this.answers = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Starts it, with Reactor Netty's client ("netty") or with WebClient ("web"), which is also its name. */
  static HttpProcess start(String client, String database, Vendor vendor, int perSecond) {
    String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    try {
      return new HttpProcess(
          new ProcessBuilder(
                  java, "-Xmx192m", "-XX:TieredStopAtLevel=1", "-cp", classPath, HttpProcess.class.getName(),
                  client, database, vendor.url(), "" + perSecond)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static boolean isWarmUp(Vendor.Arrival arrival) {
    return arrival.uri().endsWith(WARM_UP);
  }

  /** Returns once its clients are warm. */
  HttpProcess ready() {
    answer("ready");
    return this;
  }

  /** Makes it make so many calls at once. */
  void call(int calls) {
    try {
      process.getOutputStream().write((calls + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** How many of its calls were served, when all have ended, and the most strikes that it has heard of. */
  Report report() {
    List<Integer> numbers = answer("done");
    return new Report(numbers.get(0), numbers.get(1), numbers.get(2));
  }

  /**
   * What became of the calls.
   *
   * @param cooldowns how often a gate was shut that had been open
   */
  record Report(int served, int strikes, int cooldowns) {}

  private List<Integer> answer(String name) {
    try {
      String line = answers.readLine();
      if (line == null || !line.startsWith(name)) {
        throw new AssertionError("expected " + name + ", was " + line);
      }
      String[] words = line.split(" ");
      return List.of(words).subList(1, words.length).stream().map(Integer::valueOf).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  public static void main(String[] args) throws IOException {
    Recorder recorder = new Recorder();
    Pacer pacer =
        Pacer.builder()
            .cursor(PostgresCursor.builder().url(args[1]).timeLimit(Duration.ofSeconds(10)).build())
            .fallback(Fallback.DEFAULT.patience(Duration.ofSeconds(10)))
            .backoff(Backoff.DEFAULT.jitter(Duration.ZERO).widening(0, 1, false))
            .defaultPace(Pace.perSecond(Integer.parseInt(args[3])))
            .listener(recorder)
            .build();
    HttpPacing engine = HttpPacing.builder(pacer).build();
    HttpClient plain =
        HttpClient.create(ConnectionProvider.builder("all").maxConnections(50).pendingAcquireMaxCount(-1).build())
            .headers(headers -> headers.set(WHO, args[0]))
            .doOnRequest((request, connection) -> request.requestHeaders().set(SENT, System.nanoTime()));
    Calls calls = args[0].equals("netty") ? netty(plain, engine) : web(plain, engine);
    String key = Destination.of(args[2]).key();
    for (int i = 0; i < 20; i++) {
      String mine = "warm-up-" + ProcessHandle.current().pid() + i;
      calls.get(args[2] + WARM_UP).contextWrite(RequestPacing.key(mine).context()).block();
    }
    System.out.println("ready");
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      int many = Integer.parseInt(line);
      Long served = Flux.range(0, many).flatMap(i -> calls.get(args[2]), many).filter("served"::equals).count().block();
      System.out.println("done " + served + " " + recorder.strikes(key) + " " + recorder.freshCooldowns(key));
    }
  }

  /** One way to call. */
  private interface Calls {
    Mono<String> get(String url);
  }

  private static Calls netty(HttpClient plain, HttpPacing engine) {
    HttpClient client = PacingHttpClient.decorate(plain, engine);
    return url -> client.get().uri(url).responseContent().aggregate().asString();
  }

  private static Calls web(HttpClient plain, HttpPacing engine) {
    WebClient client =
        WebClient.builder()
            .clientConnector(new ReactorClientHttpConnector(plain))
            .filter(PacingExchangeFilter.of(engine))
            .build();
    return url -> client.get().uri(url).retrieve().bodyToMono(String.class);
  }
}
