package io.holdfast.server;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Map;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;

/**
 * A private key and the certificate for it. They are two files that an operator changes one after
 * the other: between the two they do not belong together, and no client could connect.
 */
final class KeyAndCertificate {
  private static final byte[] ANYTHING = "holdfast".getBytes(StandardCharsets.US_ASCII);

  /** The kinds of keys, each with a way to sign. */
  private static final Map<String, String> SIGNATURES =
      Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA");

  private KeyAndCertificate() {}

  /**
   * Reads both. What was checked is what is used, even if the files change meanwhile.
   *
   * @throws IOException if they cannot be read or do not belong together
   */
  static PemKeyCertOptions read(Vertx vertx, Path certificate, Path key) throws IOException {
    PemKeyCertOptions pair =
        new PemKeyCertOptions()
            .setCertValue(Buffer.buffer(Files.readAllBytes(certificate)))
            .setKeyValue(Buffer.buffer(Files.readAllBytes(key)));
    String both = "the certificate " + certificate + " and the key " + key;
    boolean isPair;
    try {
      isPair = isPair(vertx, pair);
    } catch (Exception e) { // whatever Vert.x has to say about the files
      throw new IOException(both + " cannot be used: " + e.getMessage(), e);
    }
    if (!isPair) {
      throw new IOException(both + " do not belong together");
    }
    return pair;
  }

  private static boolean isPair(Vertx vertx, PemKeyCertOptions pair) throws Exception {
    for (KeyManager manager : pair.getKeyManagerFactory(vertx).getKeyManagers()) {
      for (Map.Entry<String, String> kind : SIGNATURES.entrySet()) {
        if (manager instanceof X509KeyManager keys && !isPair(keys, kind)) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean isPair(X509KeyManager keys, Map.Entry<String, String> kind)
      throws GeneralSecurityException {
    String[] aliases = keys.getServerAliases(kind.getKey(), null);
    for (String alias : aliases == null ? new String[0] : aliases) {
      PrivateKey key = keys.getPrivateKey(alias);
      PublicKey shown = keys.getCertificateChain(alias)[0].getPublicKey();
      if (!isPair(key, shown, kind.getValue())) {
        return false;
      }
    }
    return true;
  }

  private static boolean isPair(PrivateKey key, PublicKey shown, String how)
      throws GeneralSecurityException {
    Signature signature = Signature.getInstance(how);
    signature.initSign(key);
    signature.update(ANYTHING);
    byte[] signed = signature.sign();
    signature.initVerify(shown);
    signature.update(ANYTHING);
    return signature.verify(signed);
  }
}
