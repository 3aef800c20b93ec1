/**
 * A real PostgreSQL from the class path, for a first run without a database and for tests.
 *
 * <p>{@link io.holdfast.embedded.EmbeddedPostgres} is the door. Behind it: {@code Tenancy} is what
 * one JVM has of one directory, {@code Users} tells which processes use it, {@code Server} starts,
 * finds and stops the postmaster, {@code Cluster} creates its files, {@code Account} decides who it
 * runs as and {@code Binaries} unpacks the programs. Linux on x86-64 and arm64 only.
 */
@NullMarked
package io.holdfast.embedded;

import org.jspecify.annotations.NullMarked;
