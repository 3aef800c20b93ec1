package io.holdfast.server.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Lets calls in: by token, and without tokens only what no foreign web page can have sent. A page
 * that a developer opens may name a local server in two ways. By a name of its own that resolves
 * here: then the Host header is foreign. Or directly: then the browser says so in Origin, or where
 * it sends none, as for an image, in Sec-Fetch-Site.
 */
final class Door {
  private static final String BEARER = "bearer ";
  private static final Pattern ABSOLUTE =
      Pattern.compile("[a-z][a-z0-9+.-]*://([^/?#]*)", Pattern.CASE_INSENSITIVE);
  private static final Pattern ADDRESS = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[.*]");

  private final @Nullable TokenFile tokens;
  private final Set<String> names;
  private final @Nullable String corsOrigin;
  private final MeterRegistry meters;

  Door(
      @Nullable TokenFile tokens,
      Set<String> names,
      @Nullable String corsOrigin,
      MeterRegistry meters) {
    this.tokens = tokens;
    this.names = names;
    this.corsOrigin = corsOrigin;
    this.meters = meters;
  }

  /** The caller of a route; refuses who may not call it. */
  Caller admit(HttpServerRequest request, Route route) {
    checkPage(request, route);
    if (route.role() == null) {
      return Caller.ANYBODY;
    }
    String header = request.getHeader("Authorization");
    if (header != null && !header.toLowerCase(Locale.ROOT).startsWith(BEARER)) {
      throw refused(Refusal.Kind.UNAUTHENTICATED, "the authorization must be a bearer token");
    }
    if (tokens == null) {
      return Caller.ANYBODY;
    }
    if (header == null) {
      throw refused(Refusal.Kind.UNAUTHENTICATED, "a token is needed");
    }
    Caller caller =
        tokens
            .current()
            .find(header.substring(BEARER.length()).strip())
            .orElseThrow(() -> refused(Refusal.Kind.UNAUTHENTICATED, "the token is unknown"));
    if (!caller.may(route.role())
        && (route.otherRole() == null || !caller.may(route.otherRole()))) {
      throw refused(Refusal.Kind.FORBIDDEN, "the token lacks the role " + route.role().text());
    }
    return caller;
  }

  private void checkPage(HttpServerRequest request, Route route) {
    String host = host(request);
    if (tokens == null && host != null && !isOurs(host)) {
      throw refused(Refusal.Kind.FORBIDDEN, "the Host header names another server");
    }
    String origin = request.getHeader("Origin");
    if (origin != null && !origin.equals(corsOrigin) && !isSame(origin, host)) {
      throw refused(Refusal.Kind.FORBIDDEN, "a page from elsewhere may not call this server");
    }
    if (route.role() != null && allowedOrigin(request) == null && isFromElsewhere(request)) {
      throw refused(Refusal.Kind.FORBIDDEN, "a page from elsewhere may not call this server");
    }
  }

  /** Another port of this host is elsewhere too; who typed the address is not. */
  private static boolean isFromElsewhere(HttpServerRequest request) {
    String site = request.getHeader("Sec-Fetch-Site");
    return site != null && !site.equals("same-origin") && !site.equals("none");
  }

  /**
   * Whom the request is for: a target with a host counts before the header, of which there is one.
   */
  private static @Nullable String host(HttpServerRequest request) {
    List<String> hosts = request.headers().getAll("Host");
    if (hosts.size() > 1 || hosts.isEmpty() && request.version() == HttpVersion.HTTP_1_1) {
      throw Refusal.malformed("a request has one Host header");
    }
    Matcher absolute = ABSOLUTE.matcher(request.uri());
    return absolute.lookingAt() ? absolute.group(1) : hosts.isEmpty() ? null : hosts.get(0);
  }

  /** An address cannot be made to mean another server; a name can. */
  private boolean isOurs(String host) {
    String name = host.replaceFirst(":[0-9]*$", "").toLowerCase(Locale.ROOT);
    return ADDRESS.matcher(name).matches() || names.contains(name);
  }

  private static boolean isSame(String origin, @Nullable String host) {
    try {
      return host != null && host.equalsIgnoreCase(new URI(origin).getAuthority());
    } catch (URISyntaxException e) {
      return false;
    }
  }

  /** The origin whose pages may call, if this request comes from one. */
  @Nullable String allowedOrigin(HttpServerRequest request) {
    String origin = request.getHeader("Origin");
    return origin != null && origin.equals(corsOrigin) ? origin : null;
  }

  private Refusal refused(Refusal.Kind kind, String message) {
    meters.counter("holdfast.refused", "reason", kind.name().toLowerCase(Locale.ROOT)).increment();
    return new Refusal(kind, message);
  }
}
