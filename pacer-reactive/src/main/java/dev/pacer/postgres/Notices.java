package dev.pacer.postgres;

import dev.pacer.Cursor;
import io.r2dbc.postgresql.api.PostgresqlConnection;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.Wrapped;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * What PostgreSQL tells about cooldowns by NOTIFY, on whatever connection there is at the moment. What was sent
 * between two connections is lost, so the end of each, and the next one, say that something may have been
 * missed. Thread-safe: connections come and go on threads of their own, while news is handed out one by one.
 */
final class Notices {

  private final @Nullable String channel;
  private final Sinks.Many<Cursor.Notice> sink = Sinks.many().multicast().directBestEffort();
  private final Queue<Cursor.Notice> untold = new ConcurrentLinkedQueue<>();
  private final AtomicInteger news = new AtomicInteger();
  private final AtomicBoolean connectedBefore = new AtomicBoolean();

  Notices(@Nullable String channel) {
    this.channel = channel;
  }

  Flux<Cursor.Notice> flux() {
    return sink.asFlux();
  }

  Mono<Void> listen(Connection connection) {
    PostgresqlConnection postgres = unwrap(connection);
    if (channel == null || postgres == null) {
      return Mono.empty();
    }
    // subscribe first: what comes between LISTEN and the subscription would be lost
    postgres
        .getNotifications()
        .map(notification -> read(notification.getParameter()))
        .subscribe(this::tell, cut -> tell(Cursor.Notice.ANY), () -> tell(Cursor.Notice.ANY));
    return postgres
        .createStatement("LISTEN " + channel)
        .execute()
        .concatMap(result -> result.getRowsUpdated())
        .then()
        .doOnSuccess(listening -> connected());
  }

  /** The first connection cannot have missed anything. */
  private void connected() {
    if (connectedBefore.getAndSet(true)) {
      tell(Cursor.Notice.ANY);
    }
  }

  private void tell(Cursor.Notice notice) {
    untold.add(notice);
    if (news.getAndIncrement() > 0) {
      return; // whoever is handing out will come to it
    }
    do {
      Cursor.Notice next = untold.poll();
      if (next != null) {
        sink.tryEmitNext(next); // nobody may be listening
      }
    } while (news.decrementAndGet() > 0);
  }

  private static Cursor.Notice read(@Nullable String text) {
    String[] parts = text == null ? new String[0] : text.split(" ", 5);
    try {
      return new Cursor.Notice(
          parts[4],
          new Cursor.Cooldown(
              Long.parseLong(parts[0]),
              Integer.parseInt(parts[1]),
              Long.parseLong(parts[2]),
              Integer.parseInt(parts[3])));
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException somebodyElses) {
      return Cursor.Notice.ANY;
    }
  }

  private static @Nullable PostgresqlConnection unwrap(Connection connection) {
    return connection instanceof PostgresqlConnection postgres
        ? postgres
        : connection instanceof Wrapped<?> wrapped && wrapped.unwrap() instanceof Connection inner
            ? unwrap(inner)
            : null;
  }
}
