package io.holdfast.stream;

import io.holdfast.lease.StoreCall;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Store role: which queues there are, and how they are. Arguments have been checked. */
public interface StreamCatalog {
  /**
   * Makes the queue with its partition {@code Default}, or changes it. It holds for the next call:
   * where a delay or a window got shorter, cursors that wait for it are brought forward.
   */
  StreamInfo configure(StreamConfig config, StoreCall call);

  /** The queue of this name. */
  Optional<StreamInfo> find(String queue, StoreCall call);

  /** Queues by name, byte by byte, behind {@code after}. */
  List<StreamInfo> list(@Nullable String after, int limit, StoreCall call);

  /** Frees the name at once; its leases are lost. Answers whether there was such a queue. */
  boolean delete(String queue, StoreCall call);

  /** The names of its partitions behind {@code after}, byte by byte; none if there is no queue. */
  List<String> partitions(String queue, @Nullable String after, int limit, StoreCall call);

  /** Refuses or allows pushes to a queue, or with null to all. Fails if there is no such queue. */
  void pausePush(@Nullable String queue, boolean isPaused, StoreCall call);

  /**
   * Refuses or allows claims from a queue, or with null from all: no claim that begins after this
   * has returned gets anything. Leases go on. Fails if there is no such queue.
   */
  void pausePop(@Nullable String queue, boolean isPaused, StoreCall call);

  /** Whether everything is paused, whatever single queues say. */
  StreamInfo.Paused pausedAll(StoreCall call);
}
