package io.holdfast.job;

/** One run of a job, named by its token. A blank id or token is that of no run. */
public record Held(String id, String token) {
  @Override
  public String toString() {
    return "Held[" + id + "]";
  }
}
