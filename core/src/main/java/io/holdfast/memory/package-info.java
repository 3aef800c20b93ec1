/**
 * The memory store: the executable specification of every rule, and the fake for tests. It is small
 * and obvious on purpose; everything in it lives as long as its process.
 */
@NullMarked
package io.holdfast.memory;

import org.jspecify.annotations.NullMarked;
