package io.holdfast.client;

import io.holdfast.client.http.Channel;
import io.holdfast.client.job.HttpJobs;
import io.holdfast.client.lock.HttpLocks;
import io.holdfast.client.queue.HttpQueues;
import io.holdfast.client.stream.HttpStreams;
import io.holdfast.job.Jobs;
import io.holdfast.lock.Locks;
import io.holdfast.queue.Queues;
import io.holdfast.stream.Streams;
import java.net.URI;

/**
 * The capabilities of a server, as if they were here. Close it when done: consumers and workers end
 * then, and waiting calls are called off. Safe for use by many threads.
 */
public final class HoldfastClient implements AutoCloseable {
  private final Channel channel;
  private final Locks locks;
  private final HttpQueues queues;
  private final HttpStreams streams;
  private final Jobs jobs;

  private HoldfastClient(Channel channel, ClientOptions options) {
    this.channel = channel;
    this.locks = HttpLocks.over(channel, options.time());
    this.queues = new HttpQueues(channel, options.time());
    this.streams = new HttpStreams(channel, options.time());
    this.jobs = HttpJobs.over(channel, options.time());
  }

  /**
   * Of the server at {@code url}, such as {@code http://localhost:7070}. Sends nothing yet.
   *
   * @throws IllegalArgumentException if that is no address of a server
   */
  public static HoldfastClient connect(String url) {
    return connect(url, ClientOptions.DEFAULTS);
  }

  /** The same with these options. */
  public static HoldfastClient connect(String url, ClientOptions options) {
    URI server = URI.create(url.endsWith("/") ? url.substring(0, url.length() - 1) : url);
    String scheme = String.valueOf(server.getScheme());
    if (server.getHost() == null || !scheme.equals("http") && !scheme.equals("https")) {
      throw new IllegalArgumentException("an address such as http://localhost:7070, not " + url);
    }
    Channel.Settings settings =
        new Channel.Settings(options.token(), options.connectTimeout(), options.answerTimeout());
    return new HoldfastClient(new Channel(server, settings), options);
  }

  /** Fenced locks. */
  public Locks locks() {
    return locks;
  }

  /** Work queues. */
  public Queues queues() {
    return queues;
  }

  /** Ordered streams. */
  public Streams streams() {
    return streams;
  }

  /** Background jobs. */
  public Jobs jobs() {
    return jobs;
  }

  @Override
  public void close() {
    jobs.close();
    streams.close();
    queues.close();
    locks.close();
    channel.close();
  }
}
