/**
 * Reads what vendors send over HTTP when they want to be called less.
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
 *   <li><b>profile</b>: what one vendor means by its statuses and header names.
 * </ul>
 *
 * <p>Everything here only reads. It is pure, thread-safe, never blocks, and never throws because of what a
 * vendor sent: a value that cannot be read is counted as malformed and taken as absent. Floors, longest waits
 * and jitter belong to the gate and are not applied here; the one bound is {@link dev.pacer.http.Figure#MAX},
 * so that no arithmetic can overflow.
 */
@NullMarked
package dev.pacer.http;

import org.jspecify.annotations.NullMarked;
