/**
 * Paces HTTP clients, and reads what vendors send when they want to be called less.
 *
 * <p>{@link dev.pacer.http.HttpPacing} is the engine; {@link dev.pacer.http.PacingExchangeFilter} puts it into a
 * WebClient and {@link dev.pacer.http.PacingHttpClient} into Reactor Netty's client. Each needs only its own client on
 * the class path. {@link dev.pacer.http.VendorProfile} is what it knows of a vendor. On top of them, {@link
 * dev.pacer.http.Sources} asks one vendor after another and {@link dev.pacer.http.Bulk} runs many items through one
 * call; they know refusals when they see them, and need no client.
 *
 * <p>The words used here, beside those of {@link dev.pacer}:
 *
 * <ul>
 *   <li><b>destination</b>: the host that a request goes to, written so that two spellings are one key.
 *   <li><b>answer</b>: the part of a response that says something about the limit: status, header fields, and
 *       where a vendor hides it there, the body.
 *   <li><b>figure</b>: how long the vendor says to wait.
 *   <li><b>allowance</b>: what the vendor says is left until it is renewed.
 *   <li><b>refusal</b>: an answer that did not serve the call because of the limit.
 *   <li><b>verdict</b>: what an answer means for the gate: pass, or stop, with or without a figure.
 *   <li><b>scope</b>: which of a request's keys an answer is about.
 *   <li><b>profile</b>: what one vendor means by its statuses and header names.
 *   <li><b>sending</b>: one time that a request goes out; a request that is refused may have several.
 *   <li><b>guard</b>: may refuse a request before it costs a wait or a slot.
 *   <li><b>rate limited</b>: not served because of a limit, whether it was refused by the vendor or here.
 *   <li><b>outcome</b>: what became of one item of a bulk run.
 * </ul>
 *
 * <p>What reads only reads. It is pure, thread-safe, never blocks, and never throws because of what a
 * vendor sent: a value that cannot be read is counted as malformed and taken as absent. Floors, longest waits
 * and jitter belong to the gate and are not applied here; the one bound is {@link dev.pacer.http.Figure#MAX},
 * so that no arithmetic can overflow.
 */
@NullMarked
package dev.pacer.http;

import org.jspecify.annotations.NullMarked;
