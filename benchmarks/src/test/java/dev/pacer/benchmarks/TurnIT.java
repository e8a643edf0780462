package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.sql.SQLException;
import java.time.Duration;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counts, which no other load on the machine changes. */
@Timeout(120)
class TurnIT {

  /** Calls that began before the count, and end after it. */
  private static final Offset<Double> EDGE = within(0.1);

  private static Database database;
  private static Database counted;
  private static Watch watch;

  @BeforeAll
  static void open() throws SQLException {
    database = Database.open(Duration.ZERO);
    counted = database.counted();
    watch = new Watch(counted);
  }

  @AfterAll
  static void close() throws SQLException {
    watch.close();
    counted.close();
    database.close();
  }

  private static Turn play(Contender contender) throws Exception {
    return Turn.play(contender, watch, /* seconds= */ 1);
  }

  private static Contenders contenders() {
    return new Contenders(counted, /* redis= */ null, /* durable= */ false);
  }

  @Test
  void aReservationOfPacerIsOneRoundTripForOneCallerOnOneConnection() throws Exception {
    Turn turn = play(contenders().pacer(1, 1, Ceiling.pace()));
    assertThat(turn.roundTripsPerReservation()).isCloseTo(1, EDGE);
    assertThat(turn.visitsPerReservation()).isCloseTo(1, EDGE);
    assertThat(turn.most().connectionsBusy()).isEqualTo(1);
    assertThat(turn.latency().getTotalCount()).isPositive();
  }

  @Test
  void callersOfAHotKeyShareTheRoundTripsOfPacer() throws Exception {
    Turn turn = play(contenders().pacer(500, 1, Ceiling.pace()));
    assertThat(turn.roundTripsPerReservation()).isPositive().isLessThanOrEqualTo(0.02);
    assertThat(turn.most().lockWaits()).isZero();
  }

  @Test
  void aTransactionOfBucket4jIsThreeRoundTripsAndFourWithAnAdvisoryLock() throws Exception {
    Contenders all = contenders();
    assertThat(play(all.bucket4j(1, 1, Buckets.Way.SELECT_FOR_UPDATE, 1)).roundTripsPerReservation()).isCloseTo(3, EDGE);
    assertThat(play(all.bucket4j(1, 1, Buckets.Way.ADVISORY_LOCK, 1)).roundTripsPerReservation()).isCloseTo(4, EDGE);
  }

  @Test
  void whoLocksTheRowOfAHotKeyIsSeenToWaitForItAndForConnections() throws Exception {
    Turn turn = play(contenders().bucket4j(32, 1, Buckets.Way.SELECT_FOR_UPDATE, 32));
    assertThat(turn.most().lockWaits()).isPositive();
    assertThat(turn.most().connectionsBusy()).isEqualTo(10);
    assertThat(turn.most().threadsAwaiting()).isPositive();
  }

  @Test
  void withoutTheProxyNothingIsCounted() throws Exception {
    Contenders direct = new Contenders(database, /* redis= */ null, /* durable= */ false);
    assertThat(play(direct.pacer(1, 1, Ceiling.pace())).roundTripsPerReservation()).isNaN();
  }
}
