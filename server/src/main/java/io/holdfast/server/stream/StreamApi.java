package io.holdfast.server.stream;

import io.holdfast.server.http.Api;
import io.holdfast.server.http.HeldTimes;
import io.holdfast.server.http.Routes;
import io.holdfast.stream.AckMode;
import io.holdfast.stream.Streams;

/**
 * The streams' wire. What a caller asks is handed to {@link Streams} and what they answer is handed
 * back; nothing is decided here.
 */
public final class StreamApi implements Api {
  private final Streams streams;
  private final AckMode ackMode;
  private final HeldTimes held;

  /**
   * Serves these streams.
   *
   * @param isImplicit whether a completed message completes earlier ones of its batch, if a call
   *     does not say otherwise
   */
  public StreamApi(Streams streams, boolean isImplicit, HeldTimes held) {
    this.streams = streams;
    this.ackMode = isImplicit ? AckMode.CUMULATIVE : AckMode.EXPLICIT;
    this.held = held;
  }

  @Override
  public void mount(Routes routes) {
    Mount mount = new Mount(routes);
    Partitions partitions = new Partitions(streams.browser());
    new PushEndpoints(streams).mount(mount);
    PopEndpoints pops = new PopEndpoints(streams, partitions, held);
    pops.mount(mount);
    new AckEndpoints(streams, partitions, pops, held, ackMode).mount(mount);
    new TransactionEndpoint(streams, partitions, held, ackMode).mount(mount);
    new LeaseEndpoints(streams, partitions).mount(mount);
    new DeadLetterEndpoints(streams).mount(mount);
    new GroupEndpoints(streams).mount(mount);
    new TraceEndpoints(streams, partitions).mount(mount);
    new MessageEndpoints(streams, partitions).mount(mount);
    new PauseEndpoints(streams).mount(mount);
    new ResourceEndpoints(streams).mount(mount);
    new MonitorEndpoints(streams).mount(mount);
    new ExactEndpoints(streams, partitions).mount(mount);
    LeftOut.mount(mount);
    routes.fallback("/api/v1/", StreamDialect.INSTANCE);
  }
}
