/** The benchmarks themselves, kept from rotting. */
@NullMarked
package io.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
