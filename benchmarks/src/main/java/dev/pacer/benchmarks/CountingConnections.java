package dev.pacer.benchmarks;

import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryMetadata;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** Counts the statements that are made on its connections. */
final class CountingConnections implements ConnectionFactory {

  private final ConnectionFactory factory;
  private final AtomicLong statements = new AtomicLong();

  CountingConnections(ConnectionFactory factory) {
    this.factory = factory;
  }

  long statements() {
    return statements.get();
  }

  @Override
  public Publisher<? extends Connection> create() {
    return Mono.from(factory.create()).map(this::counting);
  }

  private Connection counting(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> invoke(connection, method, arguments));
  }

  private @Nullable Object invoke(Connection connection, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (method.getName().equals("createStatement")) {
      statements.incrementAndGet();
    }
    try {
      return method.invoke(connection, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }

  @Override
  public ConnectionFactoryMetadata getMetadata() {
    return factory.getMetadata();
  }
}
