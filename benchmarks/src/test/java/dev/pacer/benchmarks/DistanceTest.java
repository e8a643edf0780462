package dev.pacer.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Between real sockets. What one end has read has passed the proxy, and been counted. */
@Timeout(30)
class DistanceTest {

  private static final int BYTE = 7;

  private ServerSocket server;
  private Distance distance;

  @BeforeEach
  void open() throws IOException {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    distance = new Distance((InetSocketAddress) server.getLocalSocketAddress(), Duration.ZERO);
  }

  @AfterEach
  void close() throws IOException {
    distance.close();
    server.close();
  }

  /** Both ends of one connection through the proxy. */
  private record Ends(Socket client, Socket server) implements AutoCloseable {

    static Ends through(Distance distance, ServerSocket server) throws IOException {
      Socket client = new Socket(InetAddress.getLoopbackAddress(), distance.port());
      client.setTcpNoDelay(true);
      return new Ends(client, server.accept());
    }

    void ask() throws IOException {
      pass(client, server);
    }

    void answer() throws IOException {
      pass(server, client);
    }

    private static void pass(Socket from, Socket to) throws IOException {
      from.getOutputStream().write(BYTE);
      assertThat(to.getInputStream().read()).isEqualTo(BYTE);
    }

    @Override
    public void close() throws IOException {
      client.close();
      server.close();
    }
  }

  private Ends ends() throws IOException {
    return Ends.through(distance, server);
  }

  @Test
  void whatIsAskedAndAnsweredIsARoundTrip() throws IOException {
    try (Ends ends = ends()) {
      for (int n = 1; n <= 3; n++) {
        ends.ask();
        assertThat(distance.roundTrips()).as("asked, not answered yet").isEqualTo(n - 1);
        ends.answer();
        assertThat(distance.roundTrips()).isEqualTo(n);
      }
    }
  }

  @Test
  void whatIsAskedBeforeTheAnswerIsOneAndSoIsAnAnswerInPieces() throws IOException {
    try (Ends ends = ends()) {
      ends.ask();
      ends.ask();
      ends.answer();
      ends.answer();
      ends.answer();
      assertThat(distance.roundTrips()).isEqualTo(1);
    }
  }

  @Test
  void whatTheServerSaysByItselfIsNone() throws IOException {
    try (Ends ends = ends()) {
      ends.answer();
      assertThat(distance.roundTrips()).isZero();
    }
  }

  @Test
  void eachConnectionIsCountedByItself() throws IOException {
    try (Ends one = ends();
        Ends other = ends()) {
      one.ask();
      other.answer();
      assertThat(distance.roundTrips()).isZero();
      other.ask();
      one.answer();
      other.answer();
      assertThat(distance.roundTrips()).isEqualTo(2);
    }
  }

  @Test
  void anAnswerComesNoSoonerThanTheDistanceAllows() throws IOException {
    Duration roundTrip = Duration.ofMillis(30);
    try (Distance far = new Distance((InetSocketAddress) server.getLocalSocketAddress(), roundTrip);
        Ends ends = Ends.through(far, server)) {
      long since = System.nanoTime();
      ends.ask();
      ends.answer();
      assertThat(Duration.ofNanos(System.nanoTime() - since)).isGreaterThanOrEqualTo(roundTrip);
      assertThat(far.roundTrips()).isEqualTo(1);
    }
  }
}
