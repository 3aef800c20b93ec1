/** Checks of the checkers. */
@NullMarked
package io.holdfast.testkit.history;

import org.jspecify.annotations.NullMarked;
