/** Every example is run, and what the documents quote of them is compared with them. */
@NullMarked
package io.holdfast.examples;

import org.jspecify.annotations.NullMarked;
