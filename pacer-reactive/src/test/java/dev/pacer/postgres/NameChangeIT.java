package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The server's name leads to another one, as after a failover by DNS. Which name servers are asked is a matter of the
 * process, so one of its own asks the test's: that takes Linux, and the right to have a user namespace.
 */
class NameChangeIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String RELOAD = "SELECT pg_reload_conf()";
  private static final String KEY = "steady";

  /** Whoever believed the name server for as long as it allows would not notice the change. */
  private static final int AN_HOUR = 3_600;

  private static EmbeddedServer first;
  private static EmbeddedServer second;

  private TestDns dns;
  private TestProxy wayToFirst;
  private TestProxy wayToSecond;
  private FaultProcess process;

  @BeforeAll
  static void start() throws IOException {
    try (TestDns trial = new TestDns(address(1), AN_HOUR)) {
      assumeTrue(trial.canBeAsked(), "a process can be given another resolv.conf, with sh, unshare and mount");
    }
    first = new EmbeddedServer();
    second = new EmbeddedServer();
  }

  @AfterAll
  static void stop() {
    if (second != null) {
      first.discard();
      second.discard();
    }
  }

  @BeforeEach
  void shareTheFirst() throws IOException {
    dns = new TestDns(address(1), AN_HOUR);
    wayToFirst = new TestProxy(FaultScene.postgres(first), address(1), /* port= */ 0);
    wayToSecond = new TestProxy(FaultScene.postgres(second), address(2), wayToFirst.port());
    String url = "r2dbc:postgresql://postgres:postgres@db.pacer.test:" + wayToFirst.port() + "/postgres";
    process = FaultProcess.start(url, dns::askedBy);
    Database.await("it shares the cursor", PATIENCE, () -> wayToFirst.roundTrips() > 0);
    goesOn();
  }

  @AfterEach
  void discard() {
    process.close();
    wayToSecond.close();
    wayToFirst.close();
    dns.close();
  }

  @Test
  void afterALossTheServerIsSoughtWhereItsNameLeadsThen() throws IOException {
    dns.leadTo(address(2));
    goesOn();
    assertThat(wayToSecond.connections()).as("what works is kept").isZero();
    wayToFirst.close();
    assertSecondIsShared();
  }

  @Test
  void aServerThatOnlyReadsSinceIsLeftForTheOneToWhichItsNameLeads() throws IOException {
    FaultScene.postgres(first).run("ALTER SYSTEM SET default_transaction_read_only = on", RELOAD);
    Database.await("it paces itself", PATIENCE, () -> !process.diary().isBack());
    goesOn();
    dns.leadTo(address(2));
    assertSecondIsShared();
    FaultScene.postgres(first).run("ALTER SYSTEM RESET default_transaction_read_only", RELOAD);
  }

  private void assertSecondIsShared() {
    Database there = FaultScene.postgres(second);
    Database.await("it has found the other", PATIENCE, () -> there.sessions("pacer") == 1 && process.diary().isBack());
    Database.await("it has made itself a table", PATIENCE, () -> there.hasTable("pacer_cursor"));
    long before = there.row(KEY) == null ? 0 : there.row(KEY).seq();
    Database.await("it shares its cursor", PATIENCE, () -> there.row(KEY) != null && there.row(KEY).seq() > before);
    goesOn();
    assertThat(process.diary().failures()).isEmpty();
  }

  private void goesOn() {
    int before = process.diary().dispatches(KEY).size();
    Database.await("its calls go on", PATIENCE, () -> process.diary().dispatches(KEY).size() > before + 3);
  }

  private static InetAddress address(int last) throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last});
  }
}
