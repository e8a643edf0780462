/**
 * Paces outbound calls, without blocking, to a ceiling that all processes share.
 *
 * <p>The words used here, each for one idea:
 *
 * <ul>
 *   <li><b>key</b>: the name of what is paced, such as a destination, a credential or a tenant.
 *   <li><b>pace</b>: a ceiling on dispatches for a key: N per period, with a burst.
 *   <li><b>permit</b>: the unit a call costs; <b>slot</b>: the instant at which one permit may be spent.
 *   <li><b>interval</b>: the distance between two slots of a key.
 *   <li><b>cursor</b>: the shared number that says when the next slot of a key begins. It is a value in a
 *       row, not a SQL cursor.
 *   <li><b>reservation</b>: one atomic step that moves the cursor forward and so takes slots.
 *   <li><b>lane</b>: what one process keeps for one key: its waiting calls, and the slots it holds.
 *   <li><b>cooldown</b>: a period in which nothing may be sent to a key; <b>gate</b>: what stays shut during it;
 *       <b>strike</b>: one cooldown in a row without a success between them.
 * </ul>
 *
 * <p>{@link dev.pacer.Pacer} is what users touch. {@link dev.pacer.Cursor} is where the shared number lives;
 * {@code dev.pacer.postgres} keeps it in PostgreSQL.
 */
@NullMarked
package dev.pacer;

import org.jspecify.annotations.NullMarked;
