package io.holdfast.server;

import io.holdfast.server.http.Limits;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a server is reached, and by whom. Without tokens it stays on the loopback interface, unless
 * {@link #insecure} says that everybody who can reach it may do everything.
 */
public final class ServerOptions {
  /** Loopback, port 7070, no tokens. */
  public static final ServerOptions DEFAULTS = new ServerOptions();

  private String host = "127.0.0.1";
  private int port = 7070;
  private @Nullable Path tokens;
  private @Nullable Path tlsCertificate;
  private @Nullable Path tlsKey;
  private @Nullable String corsOrigin;
  private boolean insecure;
  private boolean implicitAck;
  private Limits limits = Limits.DEFAULTS;
  private Duration shutdownTimeout = Duration.ofSeconds(20);
  private String version = "dev";
  private Diagnosis diagnosis = Diagnosis.NONE;

  private ServerOptions() {}

  private ServerOptions(ServerOptions other) {
    this.host = other.host;
    this.port = other.port;
    this.tokens = other.tokens;
    this.tlsCertificate = other.tlsCertificate;
    this.tlsKey = other.tlsKey;
    this.corsOrigin = other.corsOrigin;
    this.insecure = other.insecure;
    this.implicitAck = other.implicitAck;
    this.limits = other.limits;
    this.shutdownTimeout = other.shutdownTimeout;
    this.version = other.version;
    this.diagnosis = other.diagnosis;
  }

  /** Bound to this address or name. */
  public ServerOptions host(String value) {
    ServerOptions copy = new ServerOptions(this);
    copy.host = value;
    return copy;
  }

  /** On this port; 0 for any that is free. */
  public ServerOptions port(int value) {
    ServerOptions copy = new ServerOptions(this);
    copy.port = value;
    return copy;
  }

  /** Only for holders of the tokens in this file, which is read again when it changes. */
  public ServerOptions tokens(@Nullable Path file) {
    ServerOptions copy = new ServerOptions(this);
    copy.tokens = file;
    return copy;
  }

  /** Over TLS, with a certificate chain and a key in PEM files, which are read when they change. */
  public ServerOptions tls(@Nullable Path certificate, @Nullable Path key) {
    ServerOptions copy = new ServerOptions(this);
    copy.tlsCertificate = certificate;
    copy.tlsKey = key;
    return copy;
  }

  /** Pages of this origin may call, besides our own. */
  public ServerOptions corsOrigin(@Nullable String origin) {
    ServerOptions copy = new ServerOptions(this);
    copy.corsOrigin = origin;
    return copy;
  }

  /** Without tokens beyond the loopback interface: everybody may do everything. */
  public ServerOptions insecure(boolean value) {
    ServerOptions copy = new ServerOptions(this);
    copy.insecure = value;
    return copy;
  }

  /** On the streams' wire, a completed message completes unanswered earlier ones of its batch. */
  public ServerOptions implicitAck(boolean value) {
    ServerOptions copy = new ServerOptions(this);
    copy.implicitAck = value;
    return copy;
  }

  /** With these limits. */
  public ServerOptions limits(Limits value) {
    ServerOptions copy = new ServerOptions(this);
    copy.limits = value;
    return copy;
  }

  /** How long running calls may take to finish when the server ends. */
  public ServerOptions shutdownTimeout(Duration value) {
    ServerOptions copy = new ServerOptions(this);
    copy.shutdownTimeout = value;
    return copy;
  }

  /** What it says of itself. */
  public ServerOptions version(String value) {
    ServerOptions copy = new ServerOptions(this);
    copy.version = value;
    return copy;
  }

  /** What looks for trouble in the database. */
  public ServerOptions diagnosis(Diagnosis value) {
    ServerOptions copy = new ServerOptions(this);
    copy.diagnosis = value;
    return copy;
  }

  String host() {
    return host;
  }

  int port() {
    return port;
  }

  @Nullable Path tokens() {
    return tokens;
  }

  @Nullable Path tlsCertificate() {
    return tlsCertificate;
  }

  @Nullable Path tlsKey() {
    return tlsKey;
  }

  @Nullable String corsOrigin() {
    return corsOrigin;
  }

  boolean insecure() {
    return insecure;
  }

  boolean implicitAck() {
    return implicitAck;
  }

  Limits limits() {
    return limits;
  }

  Duration shutdownTimeout() {
    return shutdownTimeout;
  }

  String version() {
    return version;
  }

  Diagnosis diagnosis() {
    return diagnosis;
  }
}
