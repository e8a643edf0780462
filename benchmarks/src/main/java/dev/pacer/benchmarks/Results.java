package dev.pacer.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where what a program found goes: to be read at once, and into a folder if one is named. */
final class Results {

  @Option(names = "--results", paramLabel = "FOLDER", description = "Where the results are kept as JSON, if anywhere.")
  private @Nullable Path folder;

  void add(Sheet sheet) throws IOException {
    sheet.print(System.out);
    if (folder != null) {
      sheet.write(folder);
    }
  }
}
