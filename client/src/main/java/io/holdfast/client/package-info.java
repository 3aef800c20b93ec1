/** The four capabilities over HTTP. */
@NullMarked
package io.holdfast.client;

import org.jspecify.annotations.NullMarked;
