package dev.pacer.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Fails a test in which a buffer was lost, or released twice where only a log line tells. */
final class NoLeaks implements BeforeEachCallback, AfterEachCallback {

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @Override
  public void beforeEach(ExtensionContext context) {
    assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
    log.start();
    log.list.clear();
    root().addAppender(log);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    for (int round = 0; round < 3; round++) {
      System.gc();
      ByteBufAllocator.DEFAULT.buffer(16).release(); // the detector reports when something is allocated
    }
    root().detachAppender(log);
    boolean expected = context.getDisplayName().contains("released buffer"); // which that test sends again
    List<String> bad =
        List.copyOf(log.list).stream()
            .map(event -> event.getFormattedMessage() + (event.getThrowableProxy() == null ? "" : " " + event.getThrowableProxy().getClassName()))
            .filter(line -> (line.contains("LEAK") && isOurs(context, line)) || (line.contains("IllegalReferenceCount") && !expected))
            .toList();
    assertThat(bad).isEmpty();
  }

  /** WebClient itself loses a buffer in some ten thousand cancels: there it matters whether pacer had touched it. */
  private static boolean isOurs(ExtensionContext context, String leak) {
    boolean storm =
        context.getRequiredTestClass().equals(PacingExchangeFilterIT.class)
            && context.getRequiredTestMethod().getName().startsWith("cancellingAtAnyMoment");
    return !storm || leak.contains("dev.pacer.http.WebResponses") || leak.contains("dev.pacer.http.Course");
  }

  private static Logger root() {
    return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }
}
