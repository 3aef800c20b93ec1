/**
 * Payloads and outputs of jobs as JSON. {@link io.holdfast.json.JacksonCodec} is all there is to
 * it; who writes text or bytes does not need this module.
 */
@NullMarked
package io.holdfast.json;

import org.jspecify.annotations.NullMarked;
