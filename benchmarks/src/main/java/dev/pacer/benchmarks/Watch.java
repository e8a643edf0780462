package dev.pacer.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Looks every 50 ms at what a contender holds, and at who waits for a lock in the database, on a connection of its own. */
final class Watch implements AutoCloseable {

  private static final long EVERY = TimeUnit.MILLISECONDS.toNanos(50);
  private static final String WAITING_FOR_LOCKS =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";

  private final Connection connection;
  private final PreparedStatement waitingForLocks;

  Watch(Database database) throws SQLException {
    this.connection = database.aside();
    this.waitingForLocks = connection.prepareStatement(WAITING_FOR_LOCKS);
  }

  /**
   * The most of each that was seen.
   *
   * @param threads alive, whoever they belong to
   * @param connectionsBusy in use; not a number if unknown
   * @param threadsAwaiting a connection
   * @param lockWaits sessions of the database that waited for a lock
   * @param meanLockWaits the same on average
   */
  record Seen(int threads, double connectionsBusy, int threadsAwaiting, int lockWaits, double meanLockWaits) {}

  /** Blocks for so long. */
  Seen watch(Contender.Match match, long nanos) throws SQLException {
    long end = System.nanoTime() + nanos;
    Seen most = new Seen(0, 0, 0, 0, 0);
    long lockWaits = 0;
    for (int looks = 1; System.nanoTime() - end < 0; looks++) {
      int locks = lockWaits();
      lockWaits += locks;
      most =
          new Seen(
              Math.max(most.threads, Throughput.liveThreads()),
              Math.max(most.connectionsBusy, match.connectionsBusy()),
              Math.max(most.threadsAwaiting, match.threadsAwaiting()),
              Math.max(most.lockWaits, locks),
              (double) lockWaits / looks);
      LockSupport.parkNanos(Math.min(EVERY, end - System.nanoTime()));
    }
    return most;
  }

  private int lockWaits() throws SQLException {
    try (ResultSet count = waitingForLocks.executeQuery()) {
      count.next();
      return count.getInt(1);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
