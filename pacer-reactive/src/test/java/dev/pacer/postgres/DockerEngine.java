package dev.pacer.postgres;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Asks whether a Docker engine answers, in milliseconds and without a word. Testcontainers answers the same question,
 * but where there is no engine it takes seconds and logs a page of stack traces.
 *
 * <p>Looks where Docker's own client looks first: at {@code DOCKER_HOST}, else at the usual Unix sockets. An engine
 * reached in another way (a Windows pipe, a Docker context) is not found; tests can still be told to use it.
 */
final class DockerEngine {
    private static final int PATIENCE_MILLIS = 1_000;

    private DockerEngine() {}

    static boolean answers() {
        String host = System.getenv("DOCKER_HOST");
        if (host == null || host.isBlank()) {
            return sockets().filter(Files::exists).anyMatch(DockerEngine::answersOn);
        }
        URI uri = URI.create(host);
        return switch (String.valueOf(uri.getScheme())) {
            case "unix" -> answersOn(Path.of(uri.getPath()));
            case "tcp", "http", "https" -> accepts(new InetSocketAddress(uri.getHost(), uri.getPort()));
            default -> false;
        };
    }

    private static Stream<Path> sockets() {
        String home = System.getProperty("user.home");
        Stream<Path> usual = Stream.of(
                Path.of("/var/run/docker.sock"),
                Path.of(home, ".docker", "run", "docker.sock"),
                Path.of(home, ".docker", "desktop", "docker.sock"));
        Stream<Path> rootless = Optional.ofNullable(System.getenv("XDG_RUNTIME_DIR"))
                .map(directory -> Path.of(directory, "docker.sock"))
                .stream();
        return Stream.concat(usual, rootless);
    }

    /** A read from a Unix socket knows no timeout, so a helper thread reads and is left behind if nothing comes. */
    private static boolean answersOn(Path socket) {
        return CompletableFuture.supplyAsync(() -> pong(UnixDomainSocketAddress.of(socket)))
                .completeOnTimeout(false, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                .join();
    }

    private static boolean pong(SocketAddress address) {
        try (SocketChannel channel = SocketChannel.open(address)) {
            channel.write(StandardCharsets.US_ASCII.encode("GET /_ping HTTP/1.0\r\nHost: docker\r\n\r\n"));
            ByteBuffer status = ByteBuffer.allocate("HTTP/1.x 200".length());
            while (status.hasRemaining() && channel.read(status) >= 0) {
                // The status line may come in pieces.
            }
            return StandardCharsets.US_ASCII.decode(status.flip()).toString().endsWith(" 200");
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean accepts(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, PATIENCE_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
