package dev.pacer.benchmarks;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Departures of several processes, in their order. */
record TimeLine(List<Departure> departures) {

  /**
   * One call that went on.
   *
   * @param process counted from 1
   */
  record Departure(long at, int process) {}

  static TimeLine merge(List<List<Long>> processes) {
    return new TimeLine(
        IntStream.range(0, processes.size())
            .boxed()
            .flatMap(i -> processes.get(i).stream().map(at -> new Departure(at, i + 1)))
            .sorted(Comparator.comparingLong(Departure::at))
            .toList());
  }

  static TimeLine of(List<Departures> processes) {
    return merge(processes.stream().map(Departures::times).toList());
  }

  int size() {
    return departures.size();
  }

  private long at(int i) {
    return departures.get(i).at();
  }

  /** From the first to the last, in nanoseconds. */
  long length() {
    return departures.isEmpty() ? 0 : at(size() - 1) - at(0);
  }

  /** The most departures in any half-open window of this length, wherever it begins. */
  int peak(long window) {
    int most = 0;
    int first = 0;
    for (int last = 0; last < size(); last++) {
      while (at(last) - at(first) >= window) {
        first++;
      }
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  /** What P1 promises of that: {@code ⌈(window + late) ÷ interval⌉}, without a burst. */
  static long bound(long window, double perSecond, long late) {
    return (long) Math.ceil((window + late) * perSecond / 1e9);
  }

  /** Between neighbours, in nanoseconds. */
  List<Long> distances() {
    return IntStream.range(1, size()).mapToObj(i -> at(i) - at(i - 1)).toList();
  }

  /**
   * How far each departure is behind a grid with the pace's interval. The earliest of so many in a row, the interval
   * apart, says where their grid lies; so a slot that is lost moves it, for the next ones.
   */
  List<Long> behindGrid(double perSecond, int inARow) {
    List<Long> behind = new ArrayList<>();
    for (int from = 0; from < size(); from += inARow) {
      int to = Math.min(size(), from + inARow);
      int first = from;
      long[] places =
          IntStream.range(from, to).mapToLong(i -> at(i) - Math.round((i - first) * 1e9 / perSecond)).toArray();
      long grid = IntStream.range(0, places.length).mapToLong(i -> places[i]).min().orElse(0);
      for (long place : places) {
        behind.add(place - grid);
      }
    }
    return behind;
  }

  /** The first departures, as seconds since the first of all and who it was. */
  List<double[]> curve(int most) {
    return departures.stream()
        .limit(most)
        .map(one -> new double[] {(one.at() - at(0)) / 1e9, one.process()})
        .toList();
  }
}
