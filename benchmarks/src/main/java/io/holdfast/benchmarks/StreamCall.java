package io.holdfast.benchmarks;

/** The calls whose cost must not depend on what is in the tables. */
enum StreamCall {
  POP,
  EXTEND,
  ACK,
  DEPTH
}
