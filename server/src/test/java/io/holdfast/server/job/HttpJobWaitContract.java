package io.holdfast.server.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.Holdfast;
import io.holdfast.client.HoldfastClient;
import io.holdfast.job.JobBackend;
import io.holdfast.job.JobException;
import io.holdfast.job.JobOptions;
import io.holdfast.job.JobService;
import io.holdfast.job.JobState;
import io.holdfast.job.JobWorker;
import io.holdfast.job.Jobs;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.NewJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Reserved;
import io.holdfast.lease.Time;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.LastingPort;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import io.holdfast.testkit.Guarantee;
import io.holdfast.testkit.job.FaultyJobStore;
import io.holdfast.testkit.job.Halt;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client's wait for jobs is done by the server, and a worker's too. */
@Timeout(60)
@SuppressWarnings("NullAway.Init") // the fields are set before each test
abstract class HttpJobWaitContract {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration LEASE = Duration.ofHours(1);

  private FaultyJobStore store;
  private final BlockingQueue<String> ran = new LinkedBlockingQueue<>();
  private Jobs behind;
  private HoldfastServer server;
  private HoldfastClient client;

  /** A fresh store, on the machine's clock. */
  protected abstract JobBackend store();

  /** Gives the store back. */
  protected void end() {}

  @BeforeEach
  void open() throws IOException {
    store = new FaultyJobStore(store());
    store.ticking(Time.system());
    serve(LastingPort.free());
    client = HoldfastClient.connect(server.address().toString());
  }

  private void serve(int port) throws IOException {
    Holdfast rest = Holdfast.inMemory();
    behind = JobService.over(store, JobOptions.DEFAULTS.withDuties(false));
    server =
        HoldfastServer.start(
            new Services(rest.locks(), rest.queues(), rest.streams(), behind, () -> {}),
            ServerOptions.DEFAULTS.port(port));
  }

  @AfterEach
  void close() {
    store.heal();
    client.close();
    server.close();
    end();
  }

  private static ReserveRequest request() {
    return ReserveRequest.of("mail", 1).leaseFor(LEASE);
  }

  private String enqueue(String text) {
    return behind.enqueue(NewJob.of("send").queue("mail").payload(text)).id();
  }

  private JobState state(String id) {
    return behind.inspect(id).state();
  }

  /** A wish that waits at the server. */
  private CompletableFuture<Reserved> parked() {
    int before = store.count("reserve");
    CompletableFuture<Reserved> wish = client.jobs().reserveAsync(request(), LONG);
    until(() -> store.count("reserve") > before);
    return wish;
  }

  /** A worker whose wish waits at the server. */
  private JobWorker idleWorker() {
    int before = store.count("reserve");
    JobWorker worker =
        client
            .jobs()
            .worker()
            .queue("mail")
            .lease(LEASE)
            .poll(LONG)
            .action("send", String.class, (text, context) -> ran.add(text))
            .start();
    until(() -> store.count("reserve") >= before + 2); // it looks, then its wish does
    return worker;
  }

  private static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("it comes about").isLessThan(end);
      LockSupport.parkNanos(100_000);
    }
  }

  private void runs(String text) throws InterruptedException {
    assertThat(ran.poll(20, TimeUnit.SECONDS)).isEqualTo(text);
  }

  @Test
  @Guarantee({"W30", "J40"})
  void a_wish_waits_at_the_server() throws Exception {
    CompletableFuture<Reserved> wish = parked();

    String id = enqueue("a");

    assertThat(wish.get().jobs()).extracting(LeasedJob::id).containsExactly(id);
  }

  @Test
  @Guarantee("J40")
  void a_job_that_came_back_is_given_to_who_waits() throws Exception {
    String id = enqueue("a");
    LeasedJob job = client.jobs().reserve(request()).jobs().get(0);
    CompletableFuture<Reserved> wish = parked();

    client.jobs().release(job.held(), null);

    assertThat(wish.get().jobs()).extracting(LeasedJob::id).containsExactly(id);
  }

  @Test
  @Guarantee("W30")
  void an_idle_worker_starts_what_anybody_enqueues_without_a_poll_of_its_own() throws Exception {
    idleWorker();

    for (int i = 0; i < 20; i++) {
      String id = enqueue("a" + i);
      runs("a" + i);
      until(() -> state(id) == JobState.DONE);
    }
  }

  @Test
  @Guarantee("W30")
  void a_worker_whose_places_were_all_taken_looks_when_one_is_free() throws Exception {
    CompletableFuture<Boolean> gate = new CompletableFuture<>();
    client
        .jobs()
        .worker()
        .queue("mail")
        .concurrency(1)
        .prefetch(0)
        .poll(LONG)
        .async(
            "send",
            String.class,
            (text, context) -> {
              ran.add(text);
              return gate;
            })
        .start();
    enqueue("a");
    runs("a");
    enqueue("b");

    gate.complete(true);

    runs("b");
  }

  @Test
  @Guarantee("J31")
  void what_comes_too_late_for_a_cancelled_wish_goes_back_at_once() {
    String id = enqueue("a");
    Halt halt = store.haltNext("reserve", true);
    CompletableFuture<Reserved> wish = client.jobs().reserveAsync(request(), LONG);
    halt.awaitReached();
    assertThat(state(id)).isEqualTo(JobState.INFLIGHT);

    wish.cancel(true);
    halt.open();

    until(() -> state(id) == JobState.READY);
  }

  @Test
  @Guarantee("J24")
  void a_cancelled_wish_takes_nothing_and_does_not_end_the_next() throws Exception {
    for (int i = 0; i < 20; i++) {
      CompletableFuture<Reserved> first = parked();
      first.cancel(true);
      CompletableFuture<Reserved> second = client.jobs().reserveAsync(request(), LONG);

      String id = enqueue("a" + i);

      assertThat(second.get(20, TimeUnit.SECONDS).jobs())
          .extracting(LeasedJob::id)
          .containsExactly(id);
    }
  }

  @Test
  @Guarantee({"W8", "W30"})
  void a_worker_that_stops_leaves_no_wish_behind() {
    JobWorker worker = idleWorker();

    worker.close();

    String id = enqueue("a");
    assertThat(client.jobs().reserve(request()).jobs()).extracting(LeasedJob::id).contains(id);
    assertThat(ran).isEmpty();
  }

  @Test
  @Guarantee({"W8", "W30"})
  void closing_waits_until_late_jobs_are_back() {
    idleWorker();
    Halt halt = store.haltNext("reserve", true);
    String id = enqueue("a"); // the wish takes it, and its answer is on the way
    halt.awaitReached();

    CompletableFuture<Void> closed = CompletableFuture.runAsync(client::close);
    halt.open();
    closed.join();

    assertThat(state(id)).isIn(JobState.READY, JobState.DONE);
  }

  @Test
  @Guarantee("W26")
  void a_paused_worker_takes_nothing_and_a_resumed_one_waits_again() throws Exception {
    JobWorker worker = idleWorker();
    worker.pause("mail");
    enqueue("a");
    until(() -> client.jobs().reserve(request()).jobs().size() == 1);

    worker.resume("mail");
    enqueue("b");

    runs("b");
  }

  @Test
  @Guarantee({"W6", "W30"})
  void a_worker_outlives_its_server() throws Exception {
    idleWorker();
    int port = server.address().getPort();
    server.close();

    serve(port);
    enqueue("a");

    runs("a");
  }

  @Test
  void closing_ends_a_wish() {
    CompletableFuture<Reserved> wish = parked();

    client.jobs().close();

    assertThatThrownBy(wish::get)
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(JobException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void a_lease_is_trusted_from_when_it_was_granted() throws Exception {
    CompletableFuture<Reserved> wish = parked();
    long later = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(50);
    until(() -> System.nanoTime() > later);

    enqueue("a");

    assertThat(wish.get().waited()).isGreaterThanOrEqualTo(Duration.ofMillis(49));
  }
}
