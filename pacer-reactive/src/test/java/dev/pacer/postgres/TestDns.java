package dev.pacer.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A name server that knows one address, whatever name it is asked for, and may change its mind. It has a thread; everything
 * ends with {@link #close}.
 */
final class TestDns implements AutoCloseable {
  private static final int HEADER = 12;
  private static final short TYPE_A = 1;

  private final DatagramSocket socket;
  private final Path resolvConf;
  private final int secondsToLive;
  private volatile InetAddress address;

  TestDns(InetAddress address, int secondsToLive) throws IOException {
    this.address = address;
    this.secondsToLive = secondsToLive;
    this.socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    this.resolvConf = Files.createTempFile("pacer-test-resolv-", ".conf");
    Files.writeString(resolvConf, "nameserver 127.0.0.1." + socket.getLocalPort() + "\n"); // a port, as Netty reads it
    Thread thread = new Thread(this::serve, "dns");
    thread.setDaemon(true);
    thread.start();
  }

  void leadTo(InetAddress other) {
    address = other;
  }

  /** The command for a process that asks this server, and nobody else: it sees another file in the place of the machine's. */
  List<String> askedBy(List<String> command) {
    String inside = "exec unshare -Urm sh -c 'mount --bind \"$0\" /etc/resolv.conf && exec \"$@\"' \"$0\" \"$@\"";
    return Stream.concat(Stream.of("sh", "-c", inside, resolvConf.toString()), command.stream()).toList();
  }

  /** Whether this machine has what that takes. */
  boolean canBeAsked() {
    return Signals.run(askedBy(List.of("true"))) == 0;
  }

  private void serve() {
    byte[] buffer = new byte[512];
    try {
      while (true) {
        DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
        socket.receive(packet);
        byte[] answer = answer(ByteBuffer.wrap(buffer, 0, packet.getLength()));
        socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
      }
    } catch (IOException closed) {
      // it has ended
    }
  }

  /** RFC 1035, section 4: the question again, and the address if it is asked for; there are none of other types. */
  private byte[] answer(ByteBuffer query) {
    int end = HEADER;
    while (query.get(end) != 0) {
      end += query.get(end) + 1;
    }
    short type = query.getShort(end + 1);
    byte[] question = new byte[end + 5 - HEADER];
    query.get(HEADER, question);
    short answers = (short) (type == TYPE_A ? 1 : 0);
    ByteBuffer answer = ByteBuffer.allocate(HEADER + question.length + answers * 16);
    answer.putShort(query.getShort(0)).putShort((short) 0x8580); // an answer, with authority
    answer.putShort((short) 1).putShort(answers).putInt(0).put(question);
    if (type == TYPE_A) {
      answer.putShort((short) (0xC000 | HEADER)).putShort(type).putShort((short) 1); // the name of the question
      answer.putInt(secondsToLive).putShort((short) 4).put(address.getAddress());
    }
    return answer.array();
  }

  @Override
  public void close() {
    socket.close();
    try {
      Files.delete(resolvConf);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
