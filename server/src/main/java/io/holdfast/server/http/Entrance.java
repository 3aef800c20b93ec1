package io.holdfast.server.http;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who gets in, and how much at a time.
 *
 * @param tokens who has which token; null: everybody may do everything
 * @param names the server's own names, in lower case
 * @param corsOrigin the web pages that may call; null: only our own
 */
public record Entrance(
    @Nullable TokenFile tokens, Set<String> names, @Nullable String corsOrigin, Limits limits) {}
