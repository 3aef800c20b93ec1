/** Tests of the embedded server, with real servers and real processes. */
@NullMarked
package io.holdfast.embedded;

import org.jspecify.annotations.NullMarked;
