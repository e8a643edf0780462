package dev.pacer.postgres;

import dev.pacer.Backoff;
import dev.pacer.Fallback;
import dev.pacer.Pace;
import dev.pacer.Pacer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One of the processes that share a pace: a pacer with a cursor of its own, and calls that always wait. */
final class FaultMember implements AutoCloseable {
  static final int PROCESSES = 3;
  static final Duration BUDGET = Duration.ofSeconds(5);
  static final Duration LATCH = Duration.ofMillis(500);
  static final Duration PATIENCE = Duration.ofMillis(500);

  /** One key with a slot each 50 ms, and one with a slot each 100 ms and a burst. */
  static final Map<String, Pace> PACES =
      Map.of("steady", Pace.perSecond(20), "bursty", Pace.perSecond(12).burst(3));

  /** How many calls of each key wait. */
  private static final int CALLS = 4;

  /** The patience, a turn of all that wait at the slowest pace of a process alone, and what a busy machine adds. */
  static final Duration LONGEST_TURN =
      PATIENCE.plus(Duration.ofMillis(100).multipliedBy(PROCESSES * CALLS)).plus(Duration.ofSeconds(1));

  private final FaultDiary diary;
  private final RecordingCursor cursor;
  private final Pacer pacer;
  private Disposable calls = () -> {};

  FaultMember(String url, UnaryOperator<PostgresCursor.Builder> settings, Fallback fallback, FaultDiary diary) {
    this.diary = diary;
    PostgresCursor.Builder builder = PostgresCursor.builder().url(url).timeLimit(Duration.ofMillis(400));
    this.cursor = new RecordingCursor(settings.apply(builder).build(), diary::arrived);
    this.pacer =
        Pacer.builder()
            .cursor(cursor)
            .paces(PACES::get)
            .maxWait(BUDGET)
            .backoff(Backoff.DEFAULT.jitter(Duration.ZERO).widening(0, 20, true))
            .fallback(fallback)
            .listener(diary)
            .build();
  }

  /** Quick to notice and quick to come back, so that a fault takes seconds. */
  static Fallback fallback() {
    return Fallback.DEFAULT.maxProcesses(PROCESSES).latch(LATCH).patience(PATIENCE).heartbeat(Duration.ofMillis(500));
  }

  FaultDiary diary() {
    return diary;
  }

  Pacer pacer() {
    return pacer;
  }

  /** Where its slots lie in the shared cursor's time. */
  List<Long> places() {
    return cursor.places();
  }

  /** Keeps calls waiting for each key, of which each that goes is followed by the next. */
  void begin() {
    calls = Flux.fromIterable(PACES.keySet()).flatMap(this::calls).subscribe();
  }

  private Flux<Duration> calls(String key) {
    return Flux.range(0, CALLS)
        .flatMap(
            i ->
                pacer
                    .reserve(key)
                    .doOnNext(waited -> diary.went(key, waited))
                    .repeat()
                    .onErrorResume(
                        error -> {
                          diary.failed(key, error);
                          return Mono.empty();
                        }),
            CALLS);
  }

  /** No more calls. */
  void pause() {
    calls.dispose();
  }

  /** Hears so many 429s at once, as answers to calls of now. */
  void hears(int stops, String key, Duration retryAfter) {
    for (int i = 0; i < stops; i++) {
      pacer.coolDown(key, retryAfter);
    }
  }

  /** Ends its calls, and returns once everything is closed. */
  @Override
  public void close() {
    pause();
    pacer.close();
    pacer.whenClosed().block(Duration.ofSeconds(10));
  }
}
