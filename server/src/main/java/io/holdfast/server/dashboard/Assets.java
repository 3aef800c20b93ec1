package io.holdfast.server.dashboard;

import io.holdfast.server.http.Answer;
import io.holdfast.server.http.Exchange;
import io.holdfast.server.http.Refusal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.zip.GZIPOutputStream;

/**
 * The files of the page, from the jar, read once. Their addresses contain a hash of all of them, so
 * a browser may keep them for ever, and never mixes those of two versions.
 */
final class Assets {
  private static final String CHART = "chart.js";
  private static final List<String> NAMES =
      List.of(
          "actions.js",
          "api.js",
          "app.js",
          "attention.js",
          "charts.js",
          "columns.js",
          "dom.js",
          "explain.js",
          "format.js",
          "icon.svg",
          "items.js",
          "job.js",
          "joblists.js",
          "jobs.js",
          "locks.js",
          "messages.js",
          "overview.js",
          "partitions.js",
          "queues.js",
          "store.js",
          "streams.js",
          "style.css",
          "tools.js");
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
          + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private final Map<String, File> files = new LinkedHashMap<>();
  private final String version;
  private final File page;

  /** A file, plain and compressed. */
  private record File(String type, byte[] plain, byte[] small) {
    static File of(String type, byte[] plain) {
      return new File(type, plain, gzip(plain));
    }
  }

  Assets() {
    MessageDigest hash = sha256();
    for (String name : NAMES) {
      add(name, resource("/io/holdfast/server/dashboard/" + name), hash);
    }
    add(CHART, resource(chart()), hash);
    byte[] index = resource("/io/holdfast/server/dashboard/index.html");
    hash.update(index);
    version = HexFormat.of().formatHex(hash.digest(), 0, 8);
    String html = new String(index, StandardCharsets.UTF_8).replace("@VERSION@", version);
    page = File.of("text/html; charset=utf-8", html.getBytes(StandardCharsets.UTF_8));
  }

  private void add(String name, byte[] bytes, MessageDigest hash) {
    hash.update(bytes);
    files.put(name, File.of(type(name), bytes));
  }

  private static String type(String name) {
    if (name.endsWith(".js")) {
      return "text/javascript; charset=utf-8";
    }
    return name.endsWith(".css") ? "text/css; charset=utf-8" : "image/svg+xml";
  }

  /** Where the WebJar of this version keeps it. */
  private static String chart() {
    Properties webjar = new Properties();
    String about = "/META-INF/maven/org.webjars.npm/chart.js/pom.properties";
    try (InputStream in = Assets.class.getResourceAsStream(about)) {
      if (in != null) {
        webjar.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return "/META-INF/resources/webjars/chart.js/"
        + webjar.getProperty("version")
        + "/dist/chart.umd.min.js";
  }

  private static byte[] resource(String path) {
    try (InputStream in = Assets.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("the dashboard lacks " + path);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] gzip(byte[] plain) {
    ByteArrayOutputStream small = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(small)) {
      out.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return small.toByteArray();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** The page itself: always asked for again, mostly unchanged. */
  Answer page(Exchange exchange) {
    return answer(exchange, page, "no-cache")
        .with("Content-Security-Policy", POLICY)
        .with("X-Frame-Options", "DENY")
        .with("Referrer-Policy", "no-referrer")
        .with("Cross-Origin-Opener-Policy", "same-origin");
  }

  /** A file of the page. */
  Answer file(Exchange exchange) {
    File file = files.get(exchange.parameter("file"));
    if (file == null) {
      throw new Refusal(Refusal.Kind.UNKNOWN_PATH, "there is nothing at this path");
    }
    boolean isCurrent = exchange.parameter("version").equals(version);
    return answer(exchange, file, isCurrent ? "public, max-age=31536000, immutable" : "no-cache");
  }

  private Answer answer(Exchange exchange, File file, String caching) {
    String accepted = exchange.header("Accept-Encoding");
    boolean isSmall = accepted != null && accepted.contains("gzip");
    String tag = "\"" + version + (isSmall ? "-gz\"" : "\"");
    boolean isKnown = tag.equals(exchange.header("If-None-Match"));
    Answer answer =
        isKnown ? Answer.empty(304) : Answer.of(200, file.type, isSmall ? file.small : file.plain);
    if (isSmall && !isKnown) {
      answer = answer.with("Content-Encoding", "gzip");
    }
    return answer.with("ETag", tag).with("Vary", "Accept-Encoding").with("Cache-Control", caching);
  }
}
