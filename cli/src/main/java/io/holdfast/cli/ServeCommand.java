package io.holdfast.cli;

import io.holdfast.ErrorCode;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastOptions;
import io.holdfast.embedded.EmbeddedOptions;
import io.holdfast.embedded.EmbeddedPostgres;
import io.holdfast.memory.MemoryStore;
import io.holdfast.postgres.PoolSettings;
import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.postgres.PostgresOptions;
import io.holdfast.server.Diagnosis;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import io.holdfast.server.http.Limits;
import io.holdfast.stream.StreamOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Runs the server until a signal ends it. */
@Command(
    name = "serve",
    customSynopsis = "holdfast serve [OPTION]...",
    sortOptions = false,
    header = "Run the server: HTTP for queues, streams, jobs and locks, and a dashboard.",
    description = {
      "Without --db the data lies in an embedded PostgreSQL in ./holdfast-data.",
      "Every option can also stand in the environment (--tls-cert as HOLDFAST_TLS_CERT)",
      "or in the file that --config names (tls-cert = FILE).",
      ""
    })
final class ServeCommand implements Callable<Integer> {
  private static final long LOOK_SECONDS = 5;
  private static final Pattern KEY = Pattern.compile("[0-9a-fA-F]{64}");
  private static final Set<String> PLACES = Set.of("--db", "--data", "--memory");

  @Option(names = "--host", paramLabel = "NAME", description = "Address to bind [127.0.0.1].")
  private String host = "127.0.0.1";

  @Option(names = "--port", paramLabel = "NUMBER", description = "Port; 0 for any [7070].")
  private int port = 7070;

  @Option(names = "--db", paramLabel = "URL", description = "The database to use.")
  private @Nullable String db;

  @Option(names = "--pooler", description = "The database is behind one such as PgBouncer.")
  private boolean pooler;

  @Option(names = "--memory", description = "No database: everything is gone at the end.")
  private boolean memory;

  @Option(names = "--data", paramLabel = "DIR", description = "Embedded data [./holdfast-data].")
  private @Nullable Path data;

  @Option(names = "--demo", description = "Feed everything with sample traffic.")
  private boolean demo;

  @Option(names = "--tokens", paramLabel = "FILE", description = "Who may do what; see token.")
  private @Nullable Path tokens;

  @Option(names = "--tls-cert", paramLabel = "FILE", description = "Certificate chain, PEM.")
  private @Nullable Path certificate;

  @Option(names = "--tls-key", paramLabel = "FILE", description = "Its key, PEM.")
  private @Nullable Path key;

  @Option(names = "--cors-origin", paramLabel = "ORIGIN", description = "Web pages that may call.")
  private @Nullable String corsOrigin;

  @Option(names = "--insecure", description = "No tokens, and not only on this machine.")
  private boolean insecure;

  @Option(names = "--implicit-ack", description = "Streams: an ack covers what came before it.")
  private boolean implicitAck;

  @Option(names = "--stream-key", paramLabel = "FILE", description = "Holds the key of streams.")
  private @Nullable Path streamKey;

  @Option(
      names = "--shutdown-timeout",
      paramLabel = "S",
      description = "Seconds for running calls at the end [20].")
  private int shutdownSeconds = 20;

  @Option(
      names = "--limit",
      paramLabel = "NAME=VALUE",
      hideParamSyntax = true,
      split = ",",
      description = "Such as connections=500,idle=30s; see the guide.")
  private List<String> limits = List.of();

  @Option(names = "--config", paramLabel = "FILE", description = "Options, one per line.")
  private @Nullable Path config;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  private boolean help;

  @Spec private CommandSpec spec;

  /** What is served, who examines its database, where its data is, in words, and a look at it. */
  private record Backing(Services services, Diagnosis diagnosis, String place, Runnable probe) {}

  @Override
  public Integer call() throws IOException {
    Fallbacks.apply(spec.commandLine(), System.getenv(), PLACES);
    check();
    Limits bearing = limits();
    StreamOptions streams = StreamOptions.DEFAULTS.withEncryptionKey(encryptionKey());
    Signals signals = Signals.listen();
    Backing backing = open(streams);
    try (HoldfastServer server = start(backing, bearing)) {
      CompletableFuture<Void> looked = CompletableFuture.runAsync(backing.probe());
      announce(server, backing, problem(looked));
      Demo traffic = demo ? Demo.start(backing.services()) : null;
      signals.asked().join();
      say("stopping ...");
      if (traffic != null) {
        traffic.close();
      }
    }
    return Exit.OK;
  }

  /** Why it cannot serve yet; fails if it never will. */
  private static @Nullable String problem(CompletableFuture<Void> looked) {
    try {
      looked.get(LOOK_SECONDS, TimeUnit.SECONDS);
      return null;
    } catch (TimeoutException e) {
      return "its database does not answer";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    } catch (ExecutionException e) {
      if (e.getCause() instanceof HoldfastException refusal
          && refusal.code() == ErrorCode.INVALID_ARGUMENT) {
        throw refusal;
      }
      return Problem.of(e.getCause());
    }
  }

  private void check() {
    int places = (db == null ? 0 : 1) + (data == null ? 0 : 1) + (memory ? 1 : 0);
    if (places > 1) {
      throw mistake("--db, --data and --memory exclude each other");
    }
    // In the environment it may belong to a database that the command line sets aside.
    if (pooler && db == null && spec.commandLine().getParseResult().hasMatchedOption("--pooler")) {
      throw mistake("--pooler goes with --db");
    }
    if ((certificate == null) != (key == null)) {
      throw mistake("--tls-cert and --tls-key go together");
    }
    if (port < 0 || port > 65_535) {
      throw mistake("--port: 0 to 65535");
    }
    if (shutdownSeconds < 0) {
      throw mistake("--shutdown-timeout: 0 or more");
    }
  }

  private Limits limits() {
    try {
      return ServeLimits.of(limits);
    } catch (TypeConversionException e) {
      throw mistake("--limit: " + e.getMessage());
    }
  }

  private ParameterException mistake(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** Its digits; they stand in a file because everybody sees the arguments of a process. */
  private @Nullable String encryptionKey() {
    if (streamKey == null) {
      return null;
    }
    try {
      String digits = Files.readString(streamKey).strip();
      if (!KEY.matcher(digits).matches()) {
        throw mistake("--stream-key: the file must have 64 hexadecimal digits, and nothing else");
      }
      return digits;
    } catch (IOException e) {
      boolean isKey = KEY.matcher(streamKey.toString()).matches();
      throw mistake(
          "--stream-key: "
              + (isKey
                  ? "give the file that holds the key, not the key"
                  : "cannot read " + streamKey));
    }
  }

  private Backing open(StreamOptions streams) {
    if (memory) {
      Holdfast holdfast =
          Holdfast.over(new MemoryStore(), HoldfastOptions.DEFAULTS.withStreams(streams));
      return new Backing(
          Services.of(holdfast), Diagnosis.NONE, "in memory, gone at the end", () -> {});
    }
    PostgresOptions options = PostgresOptions.DEFAULTS.withStreams(streams);
    if (db != null) {
      PoolSettings pool = PoolSettings.DEFAULTS.withPooler(pooler);
      return on(connect(db, options.withPool(pool)), null, "PostgreSQL");
    }
    Path directory = data == null ? Path.of("holdfast-data") : data;
    EmbeddedPostgres embedded =
        EmbeddedPostgres.open(directory, EmbeddedOptions.defaults().withCloseAtExit(false));
    PostgresHoldfast holdfast = PostgresHoldfast.open(embedded.jdbcUrl(), options);
    return on(holdfast, embedded, "embedded PostgreSQL in " + directory);
  }

  private PostgresHoldfast connect(String url, PostgresOptions options) {
    try {
      return PostgresHoldfast.open(url, options);
    } catch (HoldfastException e) { // opening makes no connection: it can only be the string
      throw mistake("--db: " + e.getMessage());
    }
  }

  private static Backing on(
      PostgresHoldfast holdfast, @Nullable EmbeddedPostgres embedded, String place) {
    Revival revival = embedded == null ? null : Revival.of(embedded);
    Services services =
        new Services(
            holdfast.locks(),
            holdfast.queues(),
            holdfast.streams(),
            holdfast.jobs(),
            () -> {
              holdfast.close();
              if (revival != null) {
                revival.close();
                embedded.close();
              }
            },
            holdfast.telemetry());
    return new Backing(
        services, () -> findings(holdfast), place, () -> holdfast.migrations().status());
  }

  private static List<Diagnosis.Finding> findings(PostgresHoldfast holdfast) {
    return holdfast.examine().stream()
        .map(
            found ->
                new Diagnosis.Finding(
                    Diagnosis.Level.valueOf(found.level().name()),
                    found.subject(),
                    found.found(),
                    found.advice()))
        .toList();
  }

  private HoldfastServer start(Backing backing, Limits bearing) throws IOException {
    try {
      return HoldfastServer.start(
          backing.services(),
          ServerOptions.DEFAULTS
              .host(host)
              .port(port)
              .tokens(tokens)
              .tls(certificate, key)
              .corsOrigin(corsOrigin)
              .insecure(insecure)
              .implicitAck(implicitAck)
              .limits(bearing)
              .shutdownTimeout(Duration.ofSeconds(shutdownSeconds))
              .version(HoldfastCommand.version())
              .diagnosis(backing.diagnosis()));
    } catch (IOException | RuntimeException e) {
      backing.services().close();
      if (e instanceof IllegalArgumentException) {
        throw mistake(String.valueOf(e.getMessage()));
      }
      throw e;
    }
  }

  private void announce(HoldfastServer server, Backing backing, @Nullable String problem) {
    say(problem == null ? "Holdfast is ready." : "Holdfast waits: " + problem);
    say("  Dashboard  " + server.address() + "/");
    say("  API        " + server.address() + "/openapi.json");
    say("  Data       " + backing.place());
    say("Ctrl-C ends it.");
  }

  private void say(String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(text);
    out.flush();
  }
}
