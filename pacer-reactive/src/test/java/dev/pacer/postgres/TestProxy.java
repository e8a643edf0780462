package dev.pacer.postgres;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Stands between a client and a PostgreSQL server, and knows where a message ends: it counts round trips, and does to a
 * connection what networks do. One thread per direction; everything ends with {@link #close}.
 */
final class TestProxy implements AutoCloseable {
    private final String host;
    private final int port;
    private final ServerSocket listener;
    private final List<Socket> sockets = new ArrayList<>();
    private final AtomicInteger roundTrips = new AtomicInteger();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger openClients = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private volatile long connectDelay;
    private volatile Predicate<String> swallowAnswerTo = message -> false;
    private volatile Predicate<String> blackHoleAt = message -> false;

    TestProxy(Database database) {
        this(database, InetAddress.getLoopbackAddress(), /* port= */ 0);
    }

    /** At that address and port of this machine; 0 for any port. */
    TestProxy(Database database, InetAddress at, int port) {
        this.host = database.host();
        this.port = database.port();
        try {
            this.listener = new ServerSocket(port, 50, at);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("accept", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** How often the server has said that it is ready for the next message. */
    int roundTrips() {
        return roundTrips.get();
    }

    /** How many connections were opened so far. */
    int connections() {
        return connections.get();
    }

    /** How many connections the client has not closed yet. */
    int openClients() {
        return openClients.get();
    }

    /** Stops forwarding, in both directions, without a word. */
    void blackHole() {
        gate = new CountDownLatch(1);
    }

    /** Stops forwarding as soon as the client sends such a message, which gets through no more. */
    void blackHoleAt(Predicate<String> message) {
        blackHoleAt = message;
    }

    /** Forwards again, what has piled up first. */
    void forward() {
        blackHoleAt = message -> false;
        gate.countDown();
    }

    /** New connections take so long. */
    void delayConnections(Duration delay) {
        connectDelay = delay.toNanos();
    }

    /** Carries the next such message to the server, and cuts the connection when the server has answered. */
    void swallowAnswerTo(Predicate<String> message) {
        swallowAnswerTo = message;
    }

    /** Cuts all connections. */
    void cut() {
        List<Socket> all;
        synchronized (sockets) {
            all = new ArrayList<>(sockets);
            sockets.clear();
        }
        all.forEach(TestProxy::shut);
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        forward();
        cut();
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            connections.incrementAndGet();
            openClients.incrementAndGet();
            synchronized (sockets) {
                sockets.add(client);
            }
            start("connect", () -> connect(client));
        }
    }

    private void connect(Socket client) throws IOException {
        pause(connectDelay);
        Socket server;
        try {
            server = new Socket(host, port);
        } catch (IOException nobodyThere) {
            openClients.decrementAndGet();
            client.close();
            throw nobodyThere;
        }
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        synchronized (sockets) {
            sockets.add(server);
        }
        Link link = new Link(client, server);
        start("from-server", link::fromServer);
        start("from-client", link::fromClient);
    }

    private final class Link {
        private final Socket client;
        private final Socket server;
        private volatile boolean swallowing;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void fromClient() throws IOException {
            try (client; server) {
                DataInputStream in = new DataInputStream(client.getInputStream());
                OutputStream out = server.getOutputStream();
                forward(in, out, /* type= */ -1); // the first message has none
                while (true) {
                    byte[] message = read(in, in.readByte());
                    String text = new String(message, StandardCharsets.UTF_8);
                    if (blackHoleAt.test(text)) {
                        blackHole();
                    }
                    if (swallowAnswerTo.test(text)) {
                        swallowAnswerTo = other -> false;
                        swallowing = true;
                    }
                    passGate();
                    out.write(message);
                    out.flush();
                }
            } finally {
                openClients.decrementAndGet();
            }
        }

        void fromServer() throws IOException {
            try (client; server) {
                DataInputStream in = new DataInputStream(server.getInputStream());
                OutputStream out = client.getOutputStream();
                while (true) {
                    byte[] message = read(in, in.readByte());
                    passGate();
                    boolean ready = message[0] == 'Z';
                    if (ready) {
                        roundTrips.incrementAndGet();
                    }
                    if (!swallowing) {
                        out.write(message);
                        out.flush();
                    } else if (ready) {
                        return;
                    }
                }
            }
        }

        private void forward(DataInputStream in, OutputStream out, int type) throws IOException {
            out.write(read(in, type));
            out.flush();
        }

        private byte[] read(DataInputStream in, int type) throws IOException {
            int length = in.readInt();
            int head = type < 0 ? 4 : 5;
            byte[] message = new byte[head + length - 4];
            message[0] = (byte) type;
            for (int i = 0; i < 4; i++) {
                message[head - 4 + i] = (byte) (length >>> (24 - 8 * i));
            }
            in.readFully(message, head, length - 4);
            return message;
        }
    }

    private void passGate() {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void pause(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void shut(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException ended) {
                        // one side has hung up
                    }
                },
                "proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }
}
