package dev.pacer;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.CorePublisher;

@AnalyzeClasses(packages = "dev.pacer", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule theRootPackageKnowsNoDatabaseAndNoMeters =
      noClasses().that().resideInAPackage("dev.pacer")
          .should().dependOnClassesThat()
          .resideInAnyPackage("dev.pacer.*..", "io.r2dbc..", "io.micrometer..", "io.netty..", "org.springframework..");

  @ArchTest
  static final ArchRule nothingIsSynchronized = methods().should().notHaveModifier(JavaModifier.SYNCHRONIZED);

  @ArchTest
  static final ArchRule nothingBlocks =
      noClasses().that().resideOutsideOfPackage("dev.pacer.crac") // a checkpoint has to wait
          .should()
          .callMethodWhere(
              target(nameMatching("block|blockFirst|blockLast|blockOptional|toFuture|toIterable|toStream"))
                  .and(target(owner(assignableTo(CorePublisher.class)))));

  @ArchTest
  static final ArchRule nothingSleepsOrParks =
      noClasses().should().callMethod(Thread.class, "sleep", long.class)
          .orShould().dependOnClassesThat().haveNameMatching("java\\.util\\.concurrent\\.(locks\\..*|CountDownLatch|Semaphore)");

  @ArchTest
  static final ArchRule theSchedulerIsTheOnlyClock =
      noClasses().should().callMethod(System.class, "currentTimeMillis")
          .orShould().callMethod(System.class, "nanoTime")
          .orShould().callMethod(Instant.class, "now");

  @Test
  void theSourcesHaveNoSynchronizedBlock() throws IOException {
    try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
      List<Path> guilty = sources.filter(path -> path.toString().endsWith(".java")).filter(ArchitectureTest::synchronizes).toList();
      assertThat(guilty).isEmpty();
    }
  }

  private static boolean synchronizes(Path source) {
    try {
      return Files.readString(source).matches("(?s).*\\bsynchronized\\s*[({].*");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
