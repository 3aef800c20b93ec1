/**
 * The promises of jobs as test suites: a store proves itself by extending each of them. Start at
 * {@link io.holdfast.testkit.job.JobSuite}.
 */
@NullMarked
package io.holdfast.testkit.job;

import org.jspecify.annotations.NullMarked;
