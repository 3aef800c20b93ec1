/** The contracts beyond plain locks over the memory store, and the vectors shared with others. */
@NullMarked
package io.holdfast.testkit.beyond;

import org.jspecify.annotations.NullMarked;
