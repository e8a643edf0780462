package dev.pacer.benchmarks;

import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A Redis that runs already, as far away as the database is. Its keys that begin with {@code pacer-benchmark} are used. */
final class Redis implements AutoCloseable {

  private static final int PORT = 6379;

  private final URI near;
  private final @Nullable Distance distance;

  private Redis(URI near, @Nullable Duration roundTrip) {
    this.near = near;
    this.distance =
        roundTrip == null
            ? null
            : new Distance(new InetSocketAddress(near.getHost(), near.getPort() < 0 ? PORT : near.getPort()), roundTrip);
  }

  /**
   * @param url {@code redis://host:port}
   * @param roundTrip what is added to every round trip; with none, nothing is between this and the server
   */
  static Redis open(String url, Duration roundTrip) {
    URI uri = URI.create(url);
    if (!"redis".equals(uri.getScheme()) || uri.getHost() == null) {
      throw new IllegalArgumentException("url must be like redis://host:port, was " + url);
    }
    return new Redis(uri, roundTrip.isZero() ? null : roundTrip);
  }

  /** The same one through a proxy that adds nothing and counts round trips. Closing it closes the proxy alone. */
  Redis counted() {
    return new Redis(near, Duration.ZERO);
  }

  /** Answered so far, by whoever asked; not a number where nothing is there to count them. */
  double roundTrips() {
    return distance == null ? Double.NaN : distance.roundTrips();
  }

  /** Where to connect. */
  String url() {
    String login = near.getUserInfo() == null ? "" : near.getUserInfo() + "@";
    return distance == null ? near.toString() : "redis://" + login + "127.0.0.1:" + distance.port() + near.getPath();
  }

  @Override
  public void close() {
    if (distance != null) {
      distance.close();
    }
  }
}
