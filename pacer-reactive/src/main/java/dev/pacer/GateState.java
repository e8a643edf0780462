package dev.pacer;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A key's gate, as far as this process knows. Immutable.
 *
 * @param remaining how long nothing may be sent, zero if the gate is open
 * @param strikes cooldowns in a row without a success between them
 * @param widening the interval is the pace's own times {@code 2^widening}
 * @param retryAfter the figure of the vendor behind the present cooldown, if this process heard it
 */
public record GateState(Duration remaining, int strikes, int widening, @Nullable Duration retryAfter) {}
