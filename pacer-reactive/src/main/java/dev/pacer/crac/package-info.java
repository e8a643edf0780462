/** Checkpoint and restore. */
@NullMarked
package dev.pacer.crac;

import org.jspecify.annotations.NullMarked;
