/**
 * Plots as pieces of an HTML page: SVG and a little HTML, no script. What is horizontal is in percent of the width, so
 * that text keeps its size on any screen. Colours and lengths are the style sheet's.
 */
@NullMarked
package dev.pacer.benchmarks.plot;

import org.jspecify.annotations.NullMarked;
