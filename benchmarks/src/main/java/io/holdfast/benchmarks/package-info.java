/**
 * Measures ours beside hand-written SQL and beside peers, on one server in one run. Start at {@link
 * io.holdfast.benchmarks.LocksBenchmark}; a subject is one class, a measure is one class, and
 * {@link io.holdfast.benchmarks.Rounds} interleaves them.
 */
@NullMarked
package io.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
