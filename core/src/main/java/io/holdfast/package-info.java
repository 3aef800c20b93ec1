/**
 * The front door: {@link io.holdfast.Holdfast} opens the capabilities over a store, and every
 * failure of the library is an {@link io.holdfast.HoldfastException}. Start here, then read the
 * package of the capability you need.
 */
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
