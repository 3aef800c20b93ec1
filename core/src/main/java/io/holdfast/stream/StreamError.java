package io.holdfast.stream;

import io.holdfast.ErrorCode;

/** What went wrong with a stream operation, or with one item of it. */
public enum StreamError {
  /** The caller's mistake. */
  INVALID_ARGUMENT(ErrorCode.INVALID_ARGUMENT),
  /** A payload beyond the limit. */
  PAYLOAD_TOO_LARGE(ErrorCode.INVALID_ARGUMENT),
  /** The queue has no room for the whole call; see {@link QueueFullException}. */
  QUEUE_FULL(ErrorCode.OVERLOADED),
  /** Pushing is paused. */
  PAUSED(ErrorCode.CONFLICT),
  /** The queue wants encryption and there is no key here. */
  ENCRYPTION_UNAVAILABLE(ErrorCode.CONFLICT),
  /** A payload that our key does not open. */
  DECRYPT_FAILED(ErrorCode.INTERNAL),
  /** No such queue. */
  QUEUE_NOT_FOUND(ErrorCode.INVALID_ARGUMENT),
  /** No such partition. */
  PARTITION_NOT_FOUND(ErrorCode.INVALID_ARGUMENT),
  /** No such group, or it has not read this queue yet. */
  GROUP_NOT_FOUND(ErrorCode.INVALID_ARGUMENT),
  /** Another transaction held on to a row for too long. */
  LOCK_TIMEOUT(ErrorCode.NETWORK_TIMEOUT),
  /** The database is away or out of resources. Worth repeating. */
  UNAVAILABLE(ErrorCode.SERVICE_UNAVAILABLE),
  /** The lease is over, somebody else's, or was never given. */
  LEASE_LOST(ErrorCode.LEASE_LOST),
  /** The batch has no such message. */
  UNRESOLVABLE(ErrorCode.INVALID_ARGUMENT),
  /** The cursor has passed the message: it can no longer be refused. */
  ALREADY_COMMITTED(ErrorCode.CONFLICT),
  /** Completed behind a failure of the same call: it will come again, in order. */
  REWOUND(ErrorCode.CONFLICT),
  /** Closed, or about to be. */
  CLOSED(ErrorCode.CLOSED),
  /** Called off by the caller. */
  ABORTED(ErrorCode.ABORTED),
  /** A defect. */
  INTERNAL(ErrorCode.INTERNAL);

  private final ErrorCode code;

  StreamError(ErrorCode code) {
    this.code = code;
  }

  /** The code that all capabilities share. */
  public ErrorCode code() {
    return code;
  }
}
