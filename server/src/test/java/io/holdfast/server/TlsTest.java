package io.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server behind TLS, with certificates that the JDK's own tool makes. */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class TlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  /** Making one takes the start of a JVM. */
  private static final Map<String, KeyStore> MADE = new HashMap<>();

  @TempDir private Path directory;
  private Path certificate;
  private Path key;

  @BeforeEach
  void name() {
    certificate = directory.resolve("cert.pem");
    key = directory.resolve("key.pem");
  }

  private HoldfastServer start() throws IOException {
    return HoldfastServer.start(
        Services.of(Holdfast.inMemory()), ServerOptions.DEFAULTS.port(0).tls(certificate, key));
  }

  @Test
  void calls_go_over_tls_and_no_other_way() throws Exception {
    KeyStore pair = make("first");
    write(pair);
    try (HoldfastServer server = start()) {
      URI live = server.address().resolve("/live");
      assertThat(live.getScheme()).isEqualTo("https");
      HttpRequest request = HttpRequest.newBuilder(live).build();

      assertThat(trusting(pair).send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);

      URI plain = URI.create("http://127.0.0.1:" + live.getPort() + "/live");
      assertThatThrownBy(
              () ->
                  HttpClient.newHttpClient()
                      .send(HttpRequest.newBuilder(plain).build(), BodyHandlers.ofString()))
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void changed_files_are_read_again() throws Exception {
    KeyStore first = make("first");
    KeyStore second = make("second");
    write(first);
    try (HoldfastServer server = start()) {
      assertThat(shown(server)).isEqualTo(serial(first));

      write(second);

      awaitShown(server, second);
    }
  }

  private static void awaitShown(HoldfastServer server, KeyStore pair) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!shown(server).equals(serial(pair))) {
      assertThat(System.nanoTime()).as("the new certificate is shown").isLessThan(until);
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  @Test
  void files_that_cannot_be_read_leave_the_old_certificate_in_use() throws Exception {
    KeyStore first = make("first");
    write(first);
    try (HoldfastServer server = start()) {
      Files.writeString(key, "no key");
      TimeUnit.SECONDS.sleep(3); // longer than between two looks at the files

      assertThat(shown(server)).isEqualTo(serial(first));
    }
  }

  @Test
  void a_certificate_is_used_when_its_key_is_there_too() throws Exception {
    KeyStore first = make("first");
    KeyStore second = make("second");
    write(first);
    try (HoldfastServer server = start()) {
      writeCertificate(second);
      TimeUnit.SECONDS.sleep(3); // longer than between two looks at the files
      assertThat(shown(server)).isEqualTo(serial(first));

      FileTime before = Files.getLastModifiedTime(certificate);
      writeKey(second);
      Files.setLastModifiedTime(key, before); // as a copy that keeps its time

      awaitShown(server, second);
    }
  }

  @ParameterizedTest
  @CsvSource({"EC,EC", "RSA,RSA", "EC,RSA", "RSA,EC"})
  void a_server_does_not_start_with_the_key_of_another_certificate(String one, String other)
      throws Exception {
    writeCertificate(make("first", one));
    writeKey(make("second", other));

    assertThatThrownBy(this::start)
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("cert.pem", "key.pem")
        .hasMessageMatching(".*(do not belong together|does not match).*");
  }

  @Test
  void a_key_may_be_of_rsa() throws Exception {
    KeyStore pair = make("first", "RSA");
    write(pair);
    try (HoldfastServer server = start()) {
      assertThat(shown(server)).isEqualTo(serial(pair));
    }
  }

  @Test
  void a_server_does_not_start_without_its_certificate() {
    assertThatThrownBy(this::start)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cert.pem");
  }

  /** A key and a certificate that vouches for itself. */
  private KeyStore make(String name) throws Exception {
    return make(name, "EC");
  }

  private KeyStore make(String name, String algorithm) throws Exception {
    KeyStore made = MADE.get(name + algorithm);
    if (made == null) {
      made = makeAnew(name, algorithm);
      MADE.put(name + algorithm, made);
    }
    return made;
  }

  private KeyStore makeAnew(String name, String algorithm) throws Exception {
    Path store = directory.resolve(name + ".p12");
    Path tool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    String[] command = {
      tool.toString(),
      "-J-XX:TieredStopAtLevel=1",
      "-genkeypair",
      "-alias",
      "server",
      "-keyalg",
      algorithm,
      "-storetype",
      "PKCS12",
      "-dname",
      "CN=" + name,
      "-ext",
      "SAN=ip:127.0.0.1",
      "-validity",
      "1",
      "-storepass",
      new String(PASSWORD),
      "-keystore",
      store.toString()
    };
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    KeyStore pair = KeyStore.getInstance("PKCS12");
    try (InputStream stream = Files.newInputStream(store)) {
      pair.load(stream, PASSWORD);
    }
    return pair;
  }

  private void write(KeyStore pair) throws IOException, GeneralSecurityException {
    writeCertificate(pair);
    writeKey(pair);
  }

  private void writeCertificate(KeyStore pair) throws IOException, GeneralSecurityException {
    writePem(certificate, "CERTIFICATE", pair.getCertificate("server").getEncoded());
  }

  private void writeKey(KeyStore pair) throws IOException, GeneralSecurityException {
    writePem(key, "PRIVATE KEY", pair.getKey("server", PASSWORD).getEncoded());
  }

  private static void writePem(Path file, String kind, byte[] content) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    Files.writeString(
        file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, body, kind));
  }

  private static BigInteger serial(KeyStore pair) throws GeneralSecurityException {
    return ((X509Certificate) pair.getCertificate("server")).getSerialNumber();
  }

  private static HttpClient trusting(KeyStore pair) throws GeneralSecurityException, IOException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("server", pair.getCertificate("server"));
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    return HttpClient.newBuilder().sslContext(context(factory.getTrustManagers())).build();
  }

  private static SSLContext context(TrustManager... managers) throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers, null);
    return context;
  }

  /** The serial number of the certificate that the server shows, whoever made it. */
  private static BigInteger shown(HoldfastServer server) throws Exception {
    SSLContext context = context(new AnyCertificate());
    int port = server.address().getPort();
    try (Socket plain = new Socket("127.0.0.1", port);
        SSLSocket socket =
            (SSLSocket) context.getSocketFactory().createSocket(plain, "127.0.0.1", port, true)) {
      socket.startHandshake();
      return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSerialNumber();
    }
  }

  /** Looks at what it is shown and asks no questions. */
  private static final class AnyCertificate implements javax.net.ssl.X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
