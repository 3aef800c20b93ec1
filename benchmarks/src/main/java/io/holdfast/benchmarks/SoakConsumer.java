package io.holdfast.benchmarks;

import io.holdfast.postgres.PostgresHoldfast;
import io.holdfast.queue.LeaseRequest;
import io.holdfast.queue.LeasedItem;
import io.holdfast.queue.LeasedItems;
import io.holdfast.queue.Queue;
import io.holdfast.queue.QueueException;
import io.holdfast.queue.Retry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;

/**
 * One consumer of the soak, in a process of its own: most items it completes, together with a
 * record of that in the same transaction; others it gives back, gives up, forgets, or comes to too
 * late. It ends when its standard input does.
 */
@Command(name = "soak-consumer", hidden = true)
final class SoakConsumer implements Callable<Integer> {
  private static final int BATCH = 20;
  private static final Duration PATIENCE = Duration.ofMillis(500);

  private volatile boolean isEnding;

  @Override
  public Integer call() throws Exception {
    BufferedReader orders =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String url = orders.readLine();
    String name = orders.readLine();
    Thread watcher = new Thread(() -> awaitEnd(orders), "soak-orders");
    watcher.setDaemon(true);
    watcher.start();
    try (PostgresHoldfast holdfast = PostgresHoldfast.open(url);
        Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      Worker worker = new Worker(holdfast, connection, name);
      boolean isKnown = false;
      while (!isEnding) {
        boolean worked = worker.work();
        if (worked && !isKnown) {
          System.out.println("working");
          isKnown = true;
        }
      }
    }
    return 0;
  }

  private void awaitEnd(BufferedReader orders) {
    try {
      while (orders.readLine() != null) {
        // Nothing more is ordered; only the end counts.
      }
    } catch (IOException e) {
      System.err.println("the orders ended with " + e.getMessage());
    }
    isEnding = true;
  }

  private static final class Worker {
    private final PostgresHoldfast holdfast;
    private final Queue queue;
    private final Connection connection;
    private final String name;
    private final ThreadLocalRandom random = ThreadLocalRandom.current();

    Worker(PostgresHoldfast holdfast, Connection connection, String name) {
      this.holdfast = holdfast;
      this.queue = holdfast.queues().queue(Soak.QUEUE);
      this.connection = connection;
      this.name = name;
    }

    /** Leases and settles a batch; false when there was none. */
    boolean work() throws SQLException, InterruptedException {
      LeasedItems leased = queue.lease(new LeaseRequest(name, BATCH, PATIENCE));
      if (leased.isEmpty()) {
        return false;
      }
      if (random.nextInt(200) == 0) {
        // Longer than the lease: by now the items belong to somebody else.
        TimeUnit.MILLISECONDS.sleep(Soak.LEASE.toMillis() * 3 / 2);
      }
      List<LeasedItem> done = new ArrayList<>();
      for (LeasedItem item : leased.items()) {
        if (!isGivenBack(leased.partition(), item)) {
          done.add(item);
        }
      }
      if (!done.isEmpty() && !complete(leased.partition(), done)) {
        for (LeasedItem item : done) {
          complete(leased.partition(), List.of(item));
        }
      }
      return true;
    }

    /** Whether it was not, or must not be, completed. */
    private boolean isGivenBack(int partition, LeasedItem item) {
      long number = Long.parseLong(item.text());
      if (Soak.isPoison(number)) {
        retry(partition, Retry.now(item.id()));
      } else if (Soak.isHopeless(number)) {
        retry(partition, Retry.dead(item.id()));
      } else if (item.attempts() == 1 && random.nextInt(50) == 0) {
        retry(partition, Retry.at(item.id(), Instant.now().plusMillis(300)));
      } else {
        // Forgotten: its lease runs out.
        return item.attempts() == 1 && random.nextInt(100) == 0;
      }
      return true;
    }

    private void retry(int partition, Retry retry) {
      try {
        queue.retry(partition, List.of(retry));
      } catch (QueueException e) {
        expectLost(e);
      }
    }

    private boolean complete(int partition, List<LeasedItem> items) throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(Soak.RECORD)) {
        List<String> ids = items.stream().map(LeasedItem::id).toList();
        holdfast.in(connection).queues().complete(Soak.QUEUE, partition, ids);
        for (LeasedItem item : items) {
          statement.setLong(1, Long.parseLong(item.text()));
          statement.setString(2, item.id());
          statement.setInt(3, item.attempts());
          statement.setString(4, name);
          statement.addBatch();
        }
        statement.executeBatch();
        connection.commit();
        return true;
      } catch (QueueException e) {
        connection.rollback();
        expectLost(e);
        return false;
      }
    }

    /** A lease that was lost is part of the exercise, anything else is not. */
    private static void expectLost(QueueException e) {
      if (e.kind() != QueueException.Kind.INVALID && e.kind() != QueueException.Kind.CONFLICT) {
        throw e;
      }
    }
  }
}
