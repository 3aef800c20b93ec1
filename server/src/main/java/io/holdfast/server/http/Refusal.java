package io.holdfast.server.http;

import java.util.Collection;

/** Why the server itself refuses a call, before a capability has heard of it. */
public final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What kind of refusal, and the status that HTTP has for it. */
  public enum Kind {
    /** A body, parameter or header that cannot be read. */
    MALFORMED(400),
    /** No token, or one that nobody was given. */
    UNAUTHENTICATED(401),
    /** A token that does not allow this, or a request that a foreign web page may have sent. */
    FORBIDDEN(403),
    /** Nothing is here. */
    UNKNOWN_PATH(404),
    /** Something is here, for another method. */
    WRONG_METHOD(405),
    /** The client takes too long to send its request. */
    TOO_SLOW(408),
    /** A body beyond the route's limit. */
    TOO_LARGE(413),
    /** More work waits already than may. */
    OVERLOADED(503),
    /** The server is about to end. */
    SHUTTING_DOWN(503),
    /** The call took longer than any call may. */
    DEADLINE(503);

    private final int status;

    Kind(int status) {
      this.status = status;
    }

    /** The status where the wire has no other wish. */
    public int status() {
      return status;
    }
  }

  private final Kind kind;
  private final String methods;

  /** A refusal that says why. */
  public Refusal(Kind kind, String message) {
    this(kind, message, "");
  }

  private Refusal(Kind kind, String message, String methods) {
    super(message, null, false, false);
    this.kind = kind;
    this.methods = methods;
  }

  /** Something is here, for these methods only. */
  public static Refusal wrongMethod(String message, Collection<String> methods) {
    return new Refusal(Kind.WRONG_METHOD, message, String.join(", ", methods));
  }

  /** The answer that tells it, with the headers that HTTP wants beside its status. */
  Answer completed(Answer answer) {
    return switch (kind) {
      case UNAUTHENTICATED -> answer.with("WWW-Authenticate", "Bearer");
      case WRONG_METHOD -> answer.with("Allow", methods);
      default -> answer;
    };
  }

  /** What kind. */
  public Kind kind() {
    return kind;
  }

  /** Input that cannot be read; {@code message} names the field. */
  public static Refusal malformed(String message) {
    return new Refusal(Kind.MALFORMED, message);
  }

  /** Not with this token. */
  public static Refusal forbidden(String message) {
    return new Refusal(Kind.FORBIDDEN, message);
  }
}
