/** Keeps the cursors in PostgreSQL, over R2DBC, so that every process shares one ceiling. */
@NullMarked
package dev.pacer.postgres;

import org.jspecify.annotations.NullMarked;
