package dev.pacer.demo;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that takes part in a run.
 *
 * @param outage what becomes of the database in the middle; null if it stays
 */
record Cast(Plan plan, Vendor vendor, List<WorkerProcess> workers, @Nullable Outage outage) {}
