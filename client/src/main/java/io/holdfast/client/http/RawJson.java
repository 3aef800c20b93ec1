package io.holdfast.client.http;

/**
 * Any JSON as it was written, but without the white space between its parts: the order of keys and
 * the text of numbers are kept.
 */
public record RawJson(String text) {}
