package io.holdfast.client.http;

/** What the server answered. */
public record Reply(int status, String type, byte[] body) {}
