package dev.pacer.benchmarks;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryMetadata;
import io.r2dbc.spi.Statement;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Counts the statements that are made on its connections, and on how many of them some were under way at once. */
final class CountingConnections implements ConnectionFactory {

  private final ConnectionFactory factory;
  private final AtomicLong statements = new AtomicLong();
  private final AtomicInteger busy = new AtomicInteger();
  private final AtomicInteger busiest = new AtomicInteger();

  CountingConnections(ConnectionFactory factory) {
    this.factory = factory;
  }

  long statements() {
    return statements.get();
  }

  /** The most connections so far that had a statement under way at one time. They are busy for too short to be seen. */
  int busiest() {
    return busiest.get();
  }

  @Override
  public Publisher<? extends Connection> create() {
    return Mono.from(factory.create()).map(this::counting);
  }

  private Connection counting(Connection connection) {
    AtomicInteger underWay = new AtomicInteger();
    return proxy(
        Connection.class,
        (method, arguments) -> {
          Object made = invoke(connection, method, arguments);
          if (made instanceof Statement statement) {
            statements.incrementAndGet();
            return counting(statement, underWay);
          }
          return made;
        });
  }

  private Statement counting(Statement statement, AtomicInteger underWay) {
    Statement[] counting = new Statement[1];
    counting[0] =
        proxy(
            Statement.class,
            (method, arguments) -> {
              Object made = invoke(statement, method, arguments);
              if (made instanceof Publisher<?> results) {
                return Flux.from(results).doOnSubscribe(go -> begin(underWay)).doFinally(signal -> end(underWay));
              }
              return made == statement ? counting[0] : made; // it gives itself back, to be gone on with
            });
    return counting[0];
  }

  private void begin(AtomicInteger underWay) {
    if (underWay.getAndIncrement() == 0) {
      busiest.accumulateAndGet(busy.incrementAndGet(), Math::max);
    }
  }

  private void end(AtomicInteger underWay) {
    if (underWay.decrementAndGet() == 0) {
      busy.decrementAndGet();
    }
  }

  /** Answers a method. */
  private interface Answer {
    @Nullable Object to(Method method, Object @Nullable [] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Answer answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> answer.to(method, arguments)));
  }

  private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  @Override
  public ConnectionFactoryMetadata getMetadata() {
    return factory.getMetadata();
  }
}
