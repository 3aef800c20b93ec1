/**
 * The promises of streams as test suites: a store proves itself by extending each of them. Start at
 * {@link io.holdfast.testkit.stream.StreamSuite}.
 */
@NullMarked
package io.holdfast.testkit.stream;

import org.jspecify.annotations.NullMarked;
