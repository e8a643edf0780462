package dev.pacer.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Ways to a server: several hosts, TLS. */
class ConnectionsIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final char[] PASSWORD = "secret".toCharArray();

    @RegisterExtension
    final Cursors cursors = new Cursors();

    @Test
    void ofSeveralHostsTheOneThatAnswersIsUsed() throws IOException {
        Database database = Database.fresh();
        String hosts = "localhost:" + closedPort() + "," + database.host() + ":" + database.port();
        String url = database.url()
                .replaceFirst("r2dbc:postgresql:", "r2dbc:postgresql:failover:")
                .replaceFirst("@[^/]*/", "@" + hosts + "/")
                + (database.url().contains("?") ? "&" : "?") + "targetServerType=primary";
        PostgresCursor cursor = cursors.with(builder -> builder.url(url).timeLimit(Duration.ofSeconds(10)));
        for (int i = 0; i < 3; i++) {
            assertThat(cursor.take(Claims.one("key")).block(PATIENCE).permits()).isOne();
            database.terminate("pacer");
        }
    }

    private static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void aServersCertificateIsVerifiedInFull(@TempDir Path dir) throws Exception {
        TestDatabase server = TestDatabase.startPrivate();
        Database database = new Database(server.url());
        Path trusted = certificate(dir, "localhost", Path.of(database.one("SHOW data_directory", String.class)));
        database.run("ALTER SYSTEM SET ssl = on");
        server.stop();
        server.start();
        String strict = server.url() + "?sslMode=verify-full&sslRootCert=" + trusted;
        PostgresCursor cursor = cursors.with(builder -> builder.url(strict).timeLimit(Duration.ofSeconds(10)));
        assertThat(cursor.take(Claims.one("key")).block(PATIENCE).permits()).isOne();
        assertThat(database.one(
                        "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'pacer'",
                        Boolean.class))
                .isTrue();
        PostgresCursor elsewhere = cursors.with(builder ->
                builder.url(strict.replace("localhost", "127.0.0.1")).timeLimit(Duration.ofSeconds(10)));
        assertThatThrownBy(() -> elsewhere.take(Claims.one("key")).block(PATIENCE)).hasMessageContaining("127.0.0.1");
        server.stop();
    }

    /** Makes the server a key and a certificate of that name; returns the certificate. */
    private static Path certificate(Path dir, String name, Path data) throws IOException, InterruptedException, GeneralSecurityException {
        Path store = dir.resolve("server.p12");
        String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        int exit = new ProcessBuilder(keytool, "-genkeypair", "-alias", "server", "-keyalg", "RSA", "-dname", "CN=" + name,
                        "-ext", "san=dns:" + name, "-validity", "2", "-storetype", "PKCS12", "-keystore", store.toString(),
                        "-storepass", new String(PASSWORD))
                .inheritIO()
                .start()
                .waitFor();
        assertThat(exit).isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD);
        Path key = data.resolve("server.key");
        Files.writeString(key, pem("PRIVATE KEY", keys.getKey("server", PASSWORD).getEncoded()));
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        String certificate = pem("CERTIFICATE", keys.getCertificate("server").getEncoded());
        Files.writeString(data.resolve("server.crt"), certificate);
        return Files.writeString(dir.resolve("root.crt"), certificate);
    }

    private static String pem(String what, byte[] der) {
        return "-----BEGIN %s-----%n%s%n-----END %s-----%n"
                .formatted(what, Base64.getMimeEncoder().encodeToString(der), what);
    }
}
