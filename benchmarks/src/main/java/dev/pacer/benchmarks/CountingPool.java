package dev.pacer.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;

/** Counts how often a connection is lent, which for Bucket4j means a transaction of three round trips. */
final class CountingPool extends HikariDataSource {

  private final AtomicLong transactions = new AtomicLong();

  CountingPool(HikariConfig config) {
    super(config);
  }

  long transactions() {
    return transactions.get();
  }

  @Override
  public Connection getConnection() throws SQLException {
    transactions.incrementAndGet();
    return super.getConnection();
  }
}
