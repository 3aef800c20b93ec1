package io.holdfast.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Checks arguments, opens payloads, and puts edited ones into the form of their queue. */
final class DeadLettersHandle implements DeadLetters {
  private static final int MOST_PURGED = 10_000;
  private static final int MOST_REDRIVEN = 1_000;

  private final StreamEngine engine;

  DeadLettersHandle(StreamEngine engine) {
    this.engine = engine;
  }

  @Override
  public List<DeadLetter> list(DeadLetterQuery query) {
    check(query, MOST_REDRIVEN);
    return read(query).stream().map(engine.sealer::opened).toList();
  }

  private List<DeadLetter> read(DeadLetterQuery query) {
    return engine.call(() -> engine.store.deadLetters().list(query, engine.storeCall()));
  }

  private static void check(DeadLetterQuery query, int most) {
    if (query.queue() != null) {
      StreamRules.checkQueue(query.queue());
    }
    StreamRules.checkRange("limit", query.limit(), 1, most);
  }

  @Override
  public long count(DeadLetterQuery query) {
    check(query, Integer.MAX_VALUE);
    return engine.call(() -> engine.store.deadLetters().count(query, engine.storeCall()));
  }

  @Override
  public List<Count> countByPartition(DeadLetterQuery query) {
    check(query, Integer.MAX_VALUE);
    return engine.call(
        () -> engine.store.deadLetters().countByPartition(query, engine.storeCall()));
  }

  @Override
  public Optional<DeadLetter> get(UUID id) {
    StreamRules.checkId("id", id);
    return find(id).map(engine.sealer::opened);
  }

  private Optional<DeadLetter> find(UUID id) {
    return engine.call(() -> engine.store.deadLetters().get(id, engine.storeCall()));
  }

  @Override
  public int purge(DeadLetterQuery query) {
    check(query, MOST_PURGED);
    return engine.call(() -> engine.store.deadLetters().purge(query, engine.storeCall()));
  }

  @Override
  public List<Redriven> redrive(DeadLetterQuery query, Redrive how) {
    check(query, MOST_REDRIVEN);
    return redrive(ids(query), how);
  }

  private List<UUID> ids(DeadLetterQuery query) {
    List<UUID> ids = new ArrayList<>();
    DeadLetterQuery next = query;
    boolean isLast = false;
    while (!isLast && ids.size() < query.limit()) {
      next = next.limit(query.limit() - ids.size());
      List<DeadLetter> page = read(next);
      page.forEach(letter -> ids.add(letter.id()));
      isLast = StreamRules.isLast(page, next.limit(), DeadLetter::message);
      next = isLast ? next : next.after(page.get(page.size() - 1).key());
    }
    return ids;
  }

  @Override
  public List<Redriven> redrive(List<UUID> ids, Redrive how) {
    StreamRules.checkRange("the number of ids", ids.size(), 0, MOST_REDRIVEN);
    if (how.queue() != null) {
      StreamRules.checkQueue(how.queue());
    }
    if (how.partition() != null) {
      StreamRules.checkPartition(how.partition());
    }
    List<Redriven> answers = new ArrayList<>(ids.size());
    for (UUID id : ids) {
      answers.add(redrive(id, how));
    }
    return answers;
  }

  private Redriven redrive(UUID id, Redrive how) {
    StreamRules.checkId("id", id);
    Optional<DeadLetter> letter = find(id);
    if (letter.isEmpty()) {
      return new Redriven(id, Redriven.Outcome.GONE, null);
    }
    String own = letter.get().message().place().queue();
    String queue = how.queue() == null ? own : how.queue();
    Payload edited = how.payload();
    if (edited == null && !queue.equals(own)) {
      edited = engine.sealer.opened(letter.get()).message().payload(); // sealed for its own queue
      edited.unwrap(); // fails if it cannot be read: moved like this it would be lost
    }
    Form form = form(edited, queue);
    Redrive made = new Redrive(how.toAllGroups(), how.queue(), how.partition(), form.payload());
    Redriven redriven =
        engine.call(
            () ->
                engine
                    .store
                    .deadLetters()
                    .redrive(id, made, form.isEncrypted(), engine.storeCall()));
    if (redriven.outcome() == Redriven.Outcome.MOVED) {
      engine.becameReady(queue);
    }
    return redriven;
  }

  /** An edited payload in the form of its queue. */
  private record Form(@Nullable Payload payload, boolean isEncrypted) {}

  private Form form(@Nullable Payload edited, String queue) {
    if (edited == null) {
      return new Form(null, false);
    }
    Optional<UUID> uid =
        engine
            .call(() -> engine.store.catalog().find(queue, engine.storeCall()))
            .filter(info -> info.settings().is(StreamOption.ENCRYPTION_ENABLED))
            .map(StreamInfo::uid);
    return uid.map(u -> new Form(engine.sealer.sealed(edited, u), true))
        .orElseGet(() -> new Form(edited, false));
  }
}
