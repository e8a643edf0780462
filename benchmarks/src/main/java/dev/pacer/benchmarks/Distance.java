package dev.pacer.benchmarks;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import reactor.netty.resources.LoopResources;

/**
 * A proxy that makes a server look as far away as a real one, or adds nothing: whatever the server sends arrives so much
 * later. Loopback flatters those who need several round trips.
 *
 * <p>It counts round trips as well, which no other load on the machine can change: each time that a server answers a
 * client that has sent something since the last answer. What is sent together, or before the answer, is one.
 */
final class Distance implements AutoCloseable {

  private final LoopResources loops = LoopResources.create("distance", 1, /* daemon= */ true);
  private final EventLoopGroup group = loops.onServer(/* useNative= */ true);
  private final InetSocketAddress server;
  private final long nanos;
  private final AtomicLong roundTrips = new AtomicLong();
  private final Channel listening;

  Distance(InetSocketAddress server, Duration roundTrip) {
    this.server = server;
    this.nanos = roundTrip.toNanos();
    this.listening =
        new ServerBootstrap()
            .group(group)
            .channel(loops.onChannelClass(ServerSocketChannel.class, group))
            .childOption(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(initializer())
            .bind("127.0.0.1", 0)
            .syncUninterruptibly()
            .channel();
  }

  int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  /** Answered so far, over all connections. */
  long roundTrips() {
    return roundTrips.get();
  }

  private ChannelInitializer<SocketChannel> initializer() {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(SocketChannel client) {
        connect(client);
      }
    };
  }

  private void connect(Channel client) {
    RoundTrip roundTrip = new RoundTrip(roundTrips);
    new Bootstrap()
        .group(client.eventLoop())
        .channel(loops.onChannelClass(SocketChannel.class, group))
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(new Relay(client, nanos, roundTrip::answer))
        .connect(server)
        .addListener(
            (io.netty.channel.ChannelFuture connected) -> {
              client.pipeline().addLast(new Relay(connected.channel(), /* nanos= */ 0, roundTrip::ask));
              client.config().setAutoRead(true);
            });
  }

  @Override
  public void close() {
    loops.disposeLater(Duration.ZERO, Duration.ofSeconds(1)).block();
  }

  /** Of one connection. Both its ends are served by one thread. */
  private static final class RoundTrip {

    private final AtomicLong answered;
    private boolean asked;

    RoundTrip(AtomicLong answered) {
      this.answered = answered;
    }

    void ask() {
      asked = true;
    }

    void answer() {
      if (asked) {
        asked = false;
        answered.incrementAndGet();
      }
    }
  }

  /** Passes on what arrives, in order. */
  @SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes its channel, and the other one follows
  private static final class Relay extends ChannelInboundHandlerAdapter {

    private final Channel to;
    private final long nanos;
    private final Runnable seen;

    Relay(Channel to, long nanos, Runnable seen) {
      this.to = to;
      this.nanos = nanos;
      this.seen = seen;
    }

    @Override
    public void channelRead(ChannelHandlerContext from, Object message) {
      seen.run();
      if (nanos == 0) {
        to.writeAndFlush(message, to.voidPromise());
      } else {
        from.executor().schedule(() -> to.writeAndFlush(message, to.voidPromise()), nanos, TimeUnit.NANOSECONDS);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext from) {
      to.close();
    }
  }
}
