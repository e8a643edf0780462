package dev.pacer.benchmarks;

import java.util.List;

/** How evenly something is shared. */
record Shares(List<Long> each) {

  long sum() {
    return each.stream().mapToLong(share -> share).sum();
  }

  /**
   * Jain's index: 1 if all have the same, 1/n if one of n has everything. R. Jain, D. Chiu, W. Hawe: A Quantitative
   * Measure of Fairness and Discrimination for Resource Allocation in Shared Computer Systems (1984).
   */
  double jain() {
    double sum = sum();
    double squares = each.stream().mapToDouble(share -> (double) share * share).sum();
    return squares == 0 ? 1 : sum * sum / (each.size() * squares);
  }

  double leastToMost() {
    long most = each.stream().mapToLong(share -> share).max().orElse(0);
    return most == 0 ? 1 : (double) each.stream().mapToLong(share -> share).min().orElse(0) / most;
  }
}
