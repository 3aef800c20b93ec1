/**
 * What the wires stand on: routes, who may call them, how a call is read, answered and given up.
 * Nothing here knows a capability; nothing outside of the server should use it.
 */
@NullMarked
package io.holdfast.server.http;

import org.jspecify.annotations.NullMarked;
