/**
 * The server: HTTP for the four capabilities on one port, a dashboard, figures. It holds no rule of
 * a capability; it translates.
 */
@NullMarked
package io.holdfast.server;

import org.jspecify.annotations.NullMarked;
