package io.holdfast.lease;

/** What a holder shows to act under its lease; a {@link Fence} is a numeric one. */
public interface LeaseToken {
  /** The token as it is stored and sent. */
  String text();
}
