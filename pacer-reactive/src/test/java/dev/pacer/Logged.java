package dev.pacer;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;

/** What pacer, and whoever drops errors, logs from a level on, until it is closed. */
public final class Logged extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private final Logger pacer = (Logger) LoggerFactory.getLogger("dev.pacer");
  private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();

  /** At INFO and above. */
  public Logged() {
    this(Level.INFO);
  }

  public Logged(Level least) {
    pacer.setLevel(least);
    root.addAppender(this);
    start();
  }

  @Override
  protected void append(ILoggingEvent event) {
    events.add(event);
  }

  /** What was logged so far does not count. */
  public void forget() {
    events.clear();
  }

  /** The lines of pacer at that level. */
  public List<String> of(Level level) {
    return events.stream()
        .filter(event -> event.getLevel().equals(level) && event.getLoggerName().startsWith("dev.pacer"))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  /** The lines of Reactor, which are errors that went nowhere. */
  public List<String> dropped() {
    return events.stream()
        .filter(event -> event.getLoggerName().startsWith("reactor.core"))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Override
  public void close() {
    root.detachAppender(this);
    pacer.setLevel(null);
  }
}
