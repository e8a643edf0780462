package dev.pacer;

/**
 * That a call was sent, and in which generation of its key's gate: what ties an answer to the cooldown before
 * which it was asked for. Take it from {@link Pacer#sending} last thing before the call is sent. Immutable.
 */
public record Sent(String key, long generation) {}
