package dev.pacer.benchmarks;

import dev.pacer.Pace;
import dev.pacer.Pacer;
import dev.pacer.PacerListener;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Pacer, as it comes. */
final class PacerMatch implements Contender.Match {

  private final List<String> keys;
  private final Database database;
  private final CountingConnections connections;
  private final AtomicInteger degraded = new AtomicInteger();
  private final Pacer pacer;

  PacerMatch(Contenders all, List<String> keys, Pace pace) {
    this.keys = keys;
    this.database = all.database();
    this.connections = new CountingConnections(database.connections());
    this.pacer =
        Pacer.builder()
            .cursor(database.cursor(all.durable()).connectionFactory(connections).build())
            .defaultPace(pace)
            .listener(
                new PacerListener() {
                  @Override
                  public void degraded(@Nullable String key, Throwable why) {
                    degraded.incrementAndGet();
                  }
                })
            .build();
  }

  @Override
  public Mono<?> reserve() {
    return pacer.reserve(Contender.any(keys));
  }

  @Override
  public double visits() {
    return connections.statements();
  }

  @Override
  public double roundTrips() {
    return database.roundTrips();
  }

  @Override
  public double connectionsBusy() {
    return connections.busiest();
  }

  @Override
  public int degraded() {
    return degraded.get();
  }

  @Override
  public void close() {
    pacer.close();
    pacer.whenClosed().block();
  }
}
