package io.holdfast.testkit.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lease.Background;
import io.holdfast.stream.Ack;
import io.holdfast.stream.Acked;
import io.holdfast.stream.Batch;
import io.holdfast.stream.CursorKey;
import io.holdfast.stream.DeadLetter;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.Delivery;
import io.holdfast.stream.Message;
import io.holdfast.stream.MessageQuery;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import io.holdfast.stream.Popped;
import io.holdfast.stream.Pushed;
import io.holdfast.stream.StoredMessage;
import io.holdfast.stream.StreamConfig;
import io.holdfast.stream.StreamError;
import io.holdfast.stream.StreamException;
import io.holdfast.stream.StreamOptions;
import io.holdfast.stream.StreamService;
import io.holdfast.stream.StreamStore;
import io.holdfast.stream.Streams;
import io.holdfast.stream.Verdict;
import io.holdfast.testkit.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/**
 * What every stream suite starts from: a fresh store on a manual clock, and streams over it whose
 * duties run only when a test steps them.
 */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // the fields are set before each test
public abstract class StreamSuite {
  protected static final StreamOptions OPTIONS = StreamOptions.DEFAULTS.stepped();
  protected static final Duration LEASE = Duration.ofSeconds(10);
  protected static final String QUEUE = "orders";
  protected static final String GROUP = "billing";

  private final List<StreamService> opened = new CopyOnWriteArrayList<>();
  protected final ExecutorService crew = Background.tasks("stream-suite");
  protected final ManualTime time = new ManualTime();
  protected StreamSubject subject;
  protected Streams streams;

  /** What serves {@link #streams}: itself, unless a wire is in between. */
  protected StreamService service;

  WatchedStore watched;

  /** The store under test, fresh and empty, with {@code time} for its clock. */
  protected abstract StreamSubject subject(ManualTime time);

  @BeforeEach
  void openStreams() {
    subject = subject(time);
    watched = new WatchedStore(subject.process());
    service = serving(watched, OPTIONS);
    streams = subject.seen(service);
  }

  @AfterEach
  void closeStreams() {
    Thread.interrupted();
    crew.shutdownNow();
    opened.forEach(StreamService::close);
    subject.close();
  }

  /** Streams as one more process has them. */
  protected Streams process() {
    return over(subject.process(), OPTIONS);
  }

  /** Streams over a store, as their users see them. */
  protected Streams over(StreamStore store, StreamOptions options) {
    return subject.seen(serving(store, options));
  }

  /** A service in this process. */
  protected StreamService serving(StreamStore store, StreamOptions options) {
    StreamService service = StreamService.over(store, options);
    opened.add(service);
    return service;
  }

  /** Steps the duties of all processes until none has anything to do. */
  protected void settle() {
    int rounds = 0;
    int done = 1;
    while (done > 0) {
      done = opened.stream().mapToInt(StreamService::step).sum();
      assertThat(rounds++).as("duties come to an end").isLessThan(10_000);
    }
  }

  /** Moves the clock and lets the duties do what that made due. */
  protected void pass(Duration by) {
    time.advance(by);
    settle();
  }

  /** A queue with leases of ten seconds and a retry delay of one. */
  protected StreamConfig config() {
    return StreamConfig.of(QUEUE).leaseFor(LEASE);
  }

  /** Pushes texts to a partition of {@link #QUEUE}, in one call. */
  protected List<Pushed> push(String partition, String... texts) {
    return streams.push(
        Arrays.stream(texts).map(text -> NewMessage.to(QUEUE, text).in(partition)).toList());
  }

  /** How often a race is run: less often where calls take longer. */
  protected int rounds(int inProcess) {
    return subject.isInProcess() ? inProcess : inProcess / 4;
  }

  /** Who pushes; of a client that is the name of its token, and it has none here. */
  protected @Nullable String producer() {
    return subject.isInProcess() ? "alice" : null;
  }

  /** What {@link #GROUP} asks {@link #QUEUE} for. */
  protected static PopRequest request(int batch) {
    return PopRequest.of(QUEUE).group(GROUP).batch(batch);
  }

  /** Pops for {@link #GROUP} what is there now. */
  protected Popped pop(int batch) {
    return streams.pop(request(batch));
  }

  /** A pop that found nothing and waits, for up to a minute of manual time. */
  protected CompletableFuture<Popped> parked(PopRequest request) {
    return parked(request, Duration.ofMinutes(1));
  }

  /** A pop that found nothing and waits, for so much of manual time. */
  protected CompletableFuture<Popped> parked(PopRequest request, Duration timeout) {
    int before = watched.looks(request);
    CompletableFuture<Popped> pop = streams.popAsync(request.waiting(timeout));
    eventually(() -> pop.isDone() || watched.looks(request) > before);
    // Looks come one after the other: when another one begins, everything about the first is done.
    int first = watched.looks(request);
    service.wake(String.valueOf(request.from().queue()));
    eventually(() -> pop.isDone() || watched.looks(request) > first);
    assertThat(pop).as("there was nothing to pop").isNotDone();
    return pop;
  }

  /** Settles everything that was popped with one verdict. */
  protected List<Acked> ack(Popped popped, Verdict verdict) {
    return streams.ack(popped.ackAll(verdict));
  }

  /** Settles the messages at these places of a pop's only batch. */
  protected List<Acked> ack(Popped popped, Verdict verdict, int... places) {
    return streams.ack(acks(popped, verdict, places));
  }

  /** Verdicts about the messages at these places of a pop's only batch. */
  protected static List<Ack> acks(Popped popped, Verdict verdict, int... places) {
    Batch batch = popped.batches().get(0);
    return Arrays.stream(places)
        .mapToObj(i -> Ack.of(popped.group(), batch, batch.deliveries().get(i).message(), verdict))
        .toList();
  }

  protected static List<String> texts(Popped popped) {
    return popped.messages().stream().map(m -> m.payload().text()).toList();
  }

  /** The lease of a pop that brought something. */
  protected static UUID leaseOf(Popped popped) {
    return Objects.requireNonNull(popped.leaseId(), "there is no lease");
  }

  /** The fence of a pop's first batch. */
  protected static long fenceOf(Popped popped) {
    return Objects.requireNonNull(popped.batches().get(0).lease(), "there is no lease").fence();
  }

  /** How often each message of a pop was delivered. */
  protected static List<Integer> attempts(Popped popped) {
    return popped.batches().stream()
        .flatMap(batch -> batch.deliveries().stream())
        .map(Delivery::attempt)
        .toList();
  }

  /** Why each verdict was refused; null for those that count. */
  protected static List<@Nullable StreamError> errors(List<Acked> acked) {
    List<@Nullable StreamError> errors = new ArrayList<>();
    acked.forEach(one -> errors.add(one.error()));
    return errors;
  }

  /** {@link #GROUP}'s place in a partition of {@link #QUEUE}. */
  protected static CursorKey cursor(String partition) {
    return new CursorKey(QUEUE, partition, GROUP);
  }

  /** The last offset that {@link #GROUP} has passed in a partition. */
  protected long committed(String partition) {
    return streams.admin().cursors(QUEUE, GROUP, null, 1000).stream()
        .filter(info -> info.key().partition().equals(partition))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no cursor in " + partition))
        .committed();
  }

  /** What is retained in {@link #QUEUE}, partition by partition in order of offsets. */
  protected List<String> stored() {
    return stored(QUEUE);
  }

  protected List<String> stored(String queue) {
    return streams.browser().messages(MessageQuery.of(queue).limit(1000)).stream()
        .map(StoredMessage::message)
        .sorted(
            Comparator.comparing((Message m) -> m.place().partition())
                .thenComparing(m -> m.place().offset()))
        .map(m -> m.payload().text())
        .toList();
  }

  /** The dead letters of {@link #QUEUE}, oldest first. */
  protected List<DeadLetter> dead() {
    List<DeadLetter> letters =
        new ArrayList<>(streams.deadLetters().list(DeadLetterQuery.of(QUEUE)));
    Collections.reverse(letters);
    return letters;
  }

  /** The texts of the dead letters of {@link #QUEUE}, oldest first. */
  protected List<String> deadTexts() {
    return dead().stream().map(letter -> letter.message().payload().text()).toList();
  }

  /** So many texts that can be told apart. */
  protected static String[] numbered(int count) {
    return IntStream.rangeClosed(1, count).mapToObj(i -> "m" + i).toArray(String[]::new);
  }

  /** The store's clock. */
  protected Instant instant() {
    return Instant.ofEpochMilli(time.nowMs());
  }

  /** Waits, in real time and without any move of the clock, for something that is on its way. */
  protected static void eventually(BooleanSupplier condition) {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - until > 0) {
        throw new AssertionError("it did not happen");
      }
      LockSupport.parkNanos(100_000);
    }
  }

  /** The result of something that is about to be done, without any move of the clock. */
  protected static <T> T now(CompletableFuture<T> future) {
    try {
      return future.get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StreamException failure) {
        throw failure;
      }
      throw new AssertionError("failed in an unexpected way", e);
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("not done", e);
    }
  }

  /** Runs {@code call}, which must fail in this way. */
  protected static StreamException failing(StreamError error, ThrowingCallable call) {
    Throwable thrown = Assertions.catchThrowable(call);
    assertThat(thrown).isInstanceOf(StreamException.class);
    StreamException failure = (StreamException) thrown;
    assertThat(failure.error()).as(failure.getMessage()).isEqualTo(error);
    return failure;
  }
}
