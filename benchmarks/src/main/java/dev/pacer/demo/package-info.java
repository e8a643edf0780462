/**
 * The demo: several processes fetch from one vendor at a ceiling that they share through PostgreSQL.
 *
 * <p>{@link dev.pacer.demo.Demo} is the parent. It runs the {@link dev.pacer.demo.Database}, plays the {@link
 * dev.pacer.demo.Vendor}, and starts one {@link dev.pacer.demo.Worker} per process. What is sure about the ceiling, and
 * about the {@link dev.pacer.demo.Cooldown} or the {@link dev.pacer.demo.Outage} in the middle of the run, comes from
 * the vendor alone, which sees all arrivals by one clock.
 */
@NullMarked
package dev.pacer.demo;

import org.jspecify.annotations.NullMarked;
