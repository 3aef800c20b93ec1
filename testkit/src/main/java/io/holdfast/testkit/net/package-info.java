/**
 * A faulty network for tests: put {@link io.holdfast.testkit.net.TcpProxy} between a client and its
 * server to cut, freeze, delay or refuse connections, and {@link io.holdfast.testkit.net.PgWire}
 * beside it to count what a PostgreSQL client really sends. For authors of stores; start with
 * {@code TcpProxy}.
 */
@NullMarked
package io.holdfast.testkit.net;

import org.jspecify.annotations.NullMarked;
