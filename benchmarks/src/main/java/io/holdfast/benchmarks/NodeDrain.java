package io.holdfast.benchmarks;

import java.io.IOException;

/** A peer that runs on Node.js. */
final class NodeDrain implements Drained {
  private final Kind kind;
  private final NodePeer peer;

  /** Which one, and how it is best asked. */
  enum Kind {
    GRAPHILE(
        "graphile-worker",
        "local queue, batched completion; deletes finished jobs",
        "graphile.js",
        "graphile_worker._private_jobs",
        "true",
        CONCURRENCY),
    PG_BOSS(
        "pg-boss",
        "fetch and complete in batches of 500, 4 at a time; keeps finished jobs",
        "pgboss.js",
        "pgboss.job",
        "state < 'completed'",
        4);

    private final String title;
    private final String remark;
    private final String script;
    private final String table;
    private final String unfinished;
    private final int atOnce;

    Kind(String title, String remark, String script, String table, String unfinished, int atOnce) {
      this.title = title;
      this.remark = remark;
      this.script = script;
      this.table = table;
      this.unfinished = unfinished;
      this.atOnce = atOnce;
    }

    NodePeer open(NodePeers peers, Place place) throws IOException {
      return new NodePeer(peers, script, place);
    }
  }

  NodeDrain(Kind kind, NodePeers peers, Place place) throws IOException {
    this.kind = kind;
    this.peer = kind.open(peers, place);
  }

  @Override
  public String title() {
    return kind.title;
  }

  @Override
  public String remark() {
    return kind.remark;
  }

  @Override
  public String table() {
    return kind.table;
  }

  @Override
  public String unfinished() {
    return kind.unfinished;
  }

  @Override
  public void setUp() throws IOException {
    peer.order("setUp");
  }

  @Override
  public void fill(int jobs) throws IOException {
    peer.order("fill", jobs, FILLED_AT_ONCE);
  }

  @Override
  public void start(int jobs) throws IOException {
    peer.order("start", jobs, kind.atOnce, AHEAD);
  }

  @Override
  public long awaitHandled() throws IOException {
    double seconds = peer.order("handled").asDouble();
    return System.nanoTime() - Math.round(seconds * 1e9);
  }

  @Override
  public void stop() throws IOException {
    peer.order("stop");
  }

  @Override
  public double cpuSeconds() {
    return peer.cpuSeconds();
  }

  @Override
  public void close() {
    peer.close();
  }
}
