/** The memory store against the promises of jobs. */
@NullMarked
package io.holdfast.testkit.job;

import org.jspecify.annotations.NullMarked;
