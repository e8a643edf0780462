package dev.pacer.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;

/**
 * Everything that must not outlive the demo. It is closed in one place, when the JVM shuts down, whether the run has
 * ended, failed, or was interrupted. Thread-safe.
 */
final class Owned {

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private volatile boolean ending;

    Owned() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "demo-ends"));
    }

    /** Opens something; not while the demo ends, which waits until what is being opened can be closed. */
    <T extends AutoCloseable> T open(Callable<T> opener) throws Exception {
        synchronized (open) {
            if (ending) {
                throw new IllegalStateException("the demo is ending");
            }
            T opened = opener.call();
            open.push(opened);
            return opened;
        }
    }

    boolean isEnding() {
        return ending;
    }

    private void close() {
        ending = true;
        synchronized (open) {
            for (AutoCloseable last = open.poll(); last != null; last = open.poll()) {
                try {
                    last.close();
                } catch (Exception e) {
                    System.err.println("  could not be ended: " + e);
                }
            }
        }
    }
}
