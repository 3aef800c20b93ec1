/** The memory store against the promises of streams. */
@NullMarked
package io.holdfast.testkit.stream;

import org.jspecify.annotations.NullMarked;
