package dev.pacer.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** What every measurement says of the machine that it was made on. */
final class Conditions {

  private static final Path PROCESSOR = Path.of("/proc/cpuinfo");

  private Conditions() {}

  /** In order, to be added to. */
  static Map<String, String> here() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    Map<String, String> here = new LinkedHashMap<>();
    here.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    here.put("machine", system.getName() + " " + system.getArch() + processor());
    here.put("processors", String.valueOf(system.getAvailableProcessors()));
    here.put("memory", Math.round(system.getTotalMemorySize() / 1e9) + " GB");
    here.put("JDK", Runtime.version().toString());
    here.put("load average", String.format(Locale.ROOT, "%.1f", system.getSystemLoadAverage()));
    return here;
  }

  private static String processor() {
    try (Stream<String> lines = Files.lines(PROCESSOR)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> ", " + line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("");
    } catch (IOException e) {
      return ""; // not every system has it
    }
  }
}
