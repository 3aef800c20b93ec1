package io.holdfast.client.http;

import org.jspecify.annotations.Nullable;

/**
 * A call that failed, on the wires of locks and jobs.
 *
 * @param error what went wrong, in words
 * @param code in one word
 * @param details for programs
 */
public record Failure(String error, String code, @Nullable Details details) {
  /**
   * More about it.
   *
   * @param code the capability's own code
   * @param id the object at fault
   * @param outcomeUnknown whether the call may have taken effect
   */
  public record Details(String code, @Nullable String id, @Nullable Boolean outcomeUnknown) {}

  /** A failure with this code. */
  public static Failure of(String error, String code, @Nullable String id, boolean isUnknown) {
    return new Failure(error, code, new Details(code, id, isUnknown ? true : null));
  }
}
