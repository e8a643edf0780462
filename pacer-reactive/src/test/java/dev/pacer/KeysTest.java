package dev.pacer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.test.StepVerifier;

/** P14: one bad key is one bad key. */
class KeysTest {

  private final World world = new World();
  private final Pacer pacer = world.pacer(Pace.perSecond(1));

  private void refused(String key, String... said) {
    StepVerifier.create(pacer.reserve(key))
        .expectErrorSatisfies(error ->
            assertThat(error).isInstanceOf(IllegalArgumentException.class).hasMessageContainingAll(said))
        .verify(Duration.ZERO.plusSeconds(1));
    assertThat(pacer.size()).isZero();
    assertThat(world.cursor.size()).isZero();
    StepVerifier.create(pacer.peek(key)).verifyError(IllegalArgumentException.class);
    assertThatIllegalArgumentException().isThrownBy(() -> pacer.pace(key, Pace.perSecond(1)));
    assertThatIllegalArgumentException().isThrownBy(() -> Pacer.builder().pace(key, Pace.perSecond(1)));
    assertThat(world.call(pacer).waited).as("another key").isZero();
  }

  @DisplayName("no key, and no call, is refused as any other bad input")
  @Test
  void nothingIsRefused() {
    refused(null, "key", "null");
    StepVerifier.create(pacer.reserve("k", null)).verifyError(IllegalArgumentException.class);
  }

  @DisplayName("C022: up to 512 characters, beyond that refused, whatever they are")
  @ParameterizedTest
  @ValueSource(ints = {513, 2_692, 2_693, 10_000, 1_000_000})
  void tooLongIsRefused(int length) {
    refused("a".repeat(length), "1 to 512 characters", "had " + length, "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…\"");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 40, 512})
  void upToTheLimitIsFine(int length) {
    StepVerifier.create(pacer.reserve("k".repeat(length))).expectNext(Duration.ZERO).verifyComplete();
  }

  @Test
  void emptyIsRefused() {
    refused("", "1 to 512 characters", "had 0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u0000", "a\u0000", "a\u0000b"})
  void nulIsRefused(String key) {
    refused(key, "must not contain NUL", "at " + key.indexOf(0));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void halfASurrogatePairIsRefused(int which) {
    String emoji = "\uD83D\uDE00";
    String key = List.of("\uD83D", "\uDE00", "a\uD83Db", "\uDE00\uD83D", emoji + "\uD83D", "\uD83D" + emoji).get(which);
    refused(key, "half a surrogate pair", "at ");
  }

  @DisplayName("text of every kind is a key, and a key of its own")
  @Test
  void textIsFine() {
    List<String> keys = List.of(
        "a", "A", " a", "a ", "ä", "a\u0308", "\uD83D\uDE00", "\uD83D\uDC68\u200D\uD83D\uDC69", "'; DROP TABLE pacer_cursor; --", "%", "_", "\\",
        "\"", "\t", "\n", "\uFFFF", "\uFEFFa", "\u202Ea", "a/b", "a:b", "a|b", "\uDBFF\uDFFF", "$1", "{}");
    for (String key : keys) {
      StepVerifier.create(pacer.reserve(key)).expectNext(Duration.ZERO).verifyComplete();
    }
    assertThat(world.cursor.size()).isEqualTo(keys.size());
  }

  @DisplayName("C025: different parts make different keys")
  @Test
  void partsDoNotCollide() {
    List<String> keys = List.of(
        Keys.join("a", "b:c"), Keys.join("a:b", "c"), Keys.join("ab", "c"), Keys.join("a", "bc"), Keys.join("a", "b/c"),
        Keys.join("a/b", "c"), Keys.join("a", "b", "c"), Keys.join("a\\", "b"), Keys.join("a\\/b"), Keys.join("a", "", "b"),
        Keys.join("", "a", "b"), Keys.join("x|y", "z"), Keys.join("x", "y|z"));
    assertThat(keys).doesNotHaveDuplicates();
    for (String key : keys) {
      StepVerifier.create(pacer.reserve(key)).expectNext(Duration.ZERO).verifyComplete();
    }
    assertThat(Keys.join("a", "b")).isEqualTo("a/b");
  }

  @Label("C025: join never makes one key of different parts")
  @Property(tries = 3_000)
  void joinIsInjective(
      @ForAll @Size(min = 1, max = 4) List<@StringLength(max = 4) @Chars({'/', '\\', 'a'}) String> one,
      @ForAll @Size(min = 1, max = 4) List<@StringLength(max = 4) @Chars({'/', '\\', 'a'}) String> two) {
    Set<List<String>> parts = new HashSet<>(List.of(one));
    parts.add(two);
    Set<String> keys = new HashSet<>();
    for (List<String> some : parts) {
      if (some.equals(List.of(""))) {
        assertThatIllegalArgumentException().isThrownBy(() -> Keys.join(""));
        keys.add("");
      } else {
        keys.add(Keys.join(some.toArray(String[]::new)));
      }
    }
    assertThat(keys).hasSameSizeAs(parts);
  }

  @Test
  void joinedKeysObeyTheSameRules() {
    assertThatIllegalArgumentException().isThrownBy(() -> Keys.join("a".repeat(300), "b".repeat(300))).withMessageContaining("had 601");
    assertThatIllegalArgumentException().isThrownBy(() -> Keys.join("/".repeat(300))).withMessageContaining("had 600");
    assertThatIllegalArgumentException().isThrownBy(Keys::join).withMessageContaining("had 0");
    assertThatIllegalArgumentException().isThrownBy(() -> Keys.join("a\uD83D", "\uDE00")).withMessageContaining("surrogate");
  }
}
