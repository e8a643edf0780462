/**
 * What a reservation costs, measured beside what people would use instead. {@code benchmarks/README.md} has the
 * commands and the results.
 */
@NullMarked
package dev.pacer.benchmarks;

import org.jspecify.annotations.NullMarked;
