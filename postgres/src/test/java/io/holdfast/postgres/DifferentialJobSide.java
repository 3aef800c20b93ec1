package io.holdfast.postgres;

import io.holdfast.job.Held;
import io.holdfast.job.Job;
import io.holdfast.job.JobBackend;
import io.holdfast.job.LeasedJob;
import io.holdfast.lease.StoreCall;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One of two stores that are asked the same, as two processes see it. Tokens differ between stores,
 * so they are called after their job and its delivery. So do the ids of jobs that schedules make:
 * those are called by when they were first seen.
 */
final class DifferentialJobSide {
  static final StoreCall CALL = StoreCall.plain();
  private static final Pattern MADE = Pattern.compile("[0-9a-f]{32}");
  private static final int MADE_LENGTH = 32;
  private static final int SUFFIX = 8;

  private final List<JobBackend> processes;
  private final Map<String, String> nameOfId = new HashMap<>();
  private final Map<String, String> idOfName = new HashMap<>();
  private final Map<String, String> tokenOfName = new HashMap<>();

  DifferentialJobSide(List<JobBackend> processes) {
    this.processes = processes;
  }

  /** The process that does everything that has to be done by one. */
  JobBackend first() {
    return processes.get(0);
  }

  JobBackend process(int number) {
    return processes.get(number % processes.size());
  }

  /** The name of an id: itself, if a test gave it. */
  String name(String id) {
    if (!isMade(id)) {
      return id;
    }
    String name = nameOfId.computeIfAbsent(id, unknown -> "<made " + (nameOfId.size() + 1) + ">");
    idOfName.put(name, id);
    return name;
  }

  private static boolean isMade(String id) {
    return id.length() == MADE_LENGTH && MADE.matcher(id).matches();
  }

  /** Whether an answer that was compared told of this id, so that both sides know its name. */
  boolean isNamed(String id) {
    return !isMade(id) || nameOfId.containsKey(id);
  }

  /** A text with names for ids. */
  String named(String text) {
    return MADE.matcher(text).replaceAll(id -> Matcher.quoteReplacement(name(id.group())));
  }

  String id(String name) {
    return idOfName.getOrDefault(name, name);
  }

  List<String> ids(List<String> names) {
    return names.stream().map(this::id).toList();
  }

  /** What a run is called. */
  String run(Job job) {
    return name(job.id()) + "@" + job.history().deliveries();
  }

  void learn(LeasedJob leased) {
    tokenOfName.put(run(leased.job()), leased.token());
  }

  /** The name of a token that was given out, or the token itself. */
  String tokenName(String id, String token) {
    String start = name(id) + "@";
    return tokenOfName.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(start) && entry.getValue().equals(token))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse("'" + token + "'");
  }

  /** Whose a lease is, with a word for the start of its token. */
  @Nullable String owner(Job job) {
    Job.Lease lease = job.lease();
    String owner = lease == null ? null : lease.owner();
    if (owner == null) {
      return null;
    }
    String token = tokenOfName.getOrDefault(run(job), "unknown!");
    String suffix = "#" + token.substring(0, SUFFIX);
    return owner.endsWith(suffix)
        ? owner.substring(0, owner.length() - SUFFIX) + "token"
        : owner + " with a strange token";
  }

  /** The run of that job under the token of that name; an unknown name is the token itself. */
  Held held(String job, String token) {
    return new Held(id(job), tokenOfName.getOrDefault(token, token));
  }

  /** Everything that an answer says, with names. */
  String plain(@Nullable Object answer) {
    return new DifferentialJobText(this).of(answer);
  }
}
