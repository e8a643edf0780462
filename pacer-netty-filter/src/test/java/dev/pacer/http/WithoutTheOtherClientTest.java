package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Neither client needs the other's classes, nor anybody's reflection on the engine. */
class WithoutTheOtherClientTest {

  /** Sees everything but what begins like this. */
  private static final class Without extends ClassLoader {
    private final String hidden;

    Without(String hidden) {
      super(WithoutTheOtherClientTest.class.getClassLoader());
      this.hidden = hidden;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        if (name.startsWith(hidden)) {
          throw new ClassNotFoundException(name + " is hidden");
        }
        if (!name.startsWith("dev.pacer.") && !name.startsWith("reactor.netty") && !name.startsWith("org.springframework")) {
          return super.loadClass(name, resolve);
        }
        Class<?> loaded = findLoadedClass(name);
        return loaded != null ? loaded : findClass(name);
      }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException unreadable) {
        throw new ClassNotFoundException(name, unreadable);
      }
    }
  }

  private static Object engine(ClassLoader loader) throws ReflectiveOperationException {
    Object pacer = invoke(loader.loadClass("dev.pacer.Pacer").getMethod("builder").invoke(null), "build");
    Class<?> engine = loader.loadClass("dev.pacer.http.HttpPacing");
    assertThat(engine.getDeclaredMethods()).isNotEmpty(); // what frameworks do to beans
    Object builder = engine.getMethod("builder", pacer.getClass()).invoke(null, pacer);
    Object guard = loader.loadClass("dev.pacer.http.UnreachableGuard").getMethod("create").invoke(null);
    builder.getClass().getMethod("guard", loader.loadClass("dev.pacer.http.Guard")).invoke(builder, guard);
    return invoke(builder, "build");
  }

  private static Object invoke(Object target, String method) throws ReflectiveOperationException {
    return target.getClass().getMethod(method).invoke(target);
  }

  @Test
  void reactorNettysClientIsDecoratedWithoutSpring() throws ReflectiveOperationException {
    ClassLoader loader = new Without("org.springframework");
    Object engine = engine(loader);
    Class<?> client = loader.loadClass("reactor.netty.http.client.HttpClient");
    Method decorate = loader.loadClass("dev.pacer.http.PacingHttpClient").getMethod("decorate", client, engine.getClass());
    assertThat(decorate.invoke(null, client.getMethod("create").invoke(null), engine)).isInstanceOf(client);
    assertThatThrownBy(() -> loader.loadClass("dev.pacer.http.PacingExchangeFilter").getDeclaredMethods())
        .isInstanceOf(NoClassDefFoundError.class);
  }

  @Test
  void theFilterIsMadeWithoutReactorNetty() throws ReflectiveOperationException {
    ClassLoader loader = new Without("reactor.netty");
    Object engine = engine(loader);
    Class<?> filter = loader.loadClass("dev.pacer.http.PacingExchangeFilter");
    assertThat(filter.getDeclaredMethods()).isNotEmpty();
    assertThat(filter.getMethod("of", engine.getClass()).invoke(null, engine)).isInstanceOf(filter);
  }

  @ParameterizedTest
  @ValueSource(strings = {"org.springframework", "reactor.netty"})
  void sourcesJudgeErrorsWithoutEither(String hidden) throws ReflectiveOperationException {
    Class<?> sources = new Without(hidden).loadClass("dev.pacer.http.Sources");
    assertThat(sources.getDeclaredMethods()).isNotEmpty();
    IOException broken = new IOException("broken");
    Supplier<Mono<String>> empty = Mono::empty;
    Supplier<Mono<String>> failing = () -> Mono.error(broken);
    Object chain = sources.getMethod("of", Supplier.class).invoke(null, empty);
    Mono<?> mono = (Mono<?>) invoke(sources.getMethod("or", Supplier.class).invoke(chain, failing), "mono");
    assertThatThrownBy(mono::block).hasCause(broken);
  }
}
