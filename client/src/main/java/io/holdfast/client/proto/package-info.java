/**
 * Messages defined once, as records with numbered components, for JSON and protobuf alike. Start
 * with {@link io.holdfast.client.proto.MessageType}.
 */
@NullMarked
package io.holdfast.client.proto;

import org.jspecify.annotations.NullMarked;
