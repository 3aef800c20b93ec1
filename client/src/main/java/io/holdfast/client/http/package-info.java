/** How the client talks: one request at a time per connection, retried only where that is safe. */
@NullMarked
package io.holdfast.client.http;

import org.jspecify.annotations.NullMarked;
