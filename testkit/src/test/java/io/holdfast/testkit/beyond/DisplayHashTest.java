package io.holdfast.testkit.beyond;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.DisplayHash;
import io.holdfast.testkit.Guarantee;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The display hash gives what every other implementation gives. */
class DisplayHashTest {
  static Stream<Arguments> vectors() {
    return Stream.of(
        Arguments.of("", "000000000000000000000000"),
        Arguments.of("a", "0000006100000123000002a7"),
        Arguments.of("test-key", "bb93bea4cb05bd4c690a29dc"),
        Arguments.of("resource:123", "e90a28c676a29a3291e2874a"),
        Arguments.of("payment:42", "602228725e82081670294dde"),
        Arguments.of("caf\u00e9", "002e7a21248b3503a22cdb87"),
        Arguments.of("cafe\u0301", "002e7a21248b3503a22cdb87"),
        Arguments.of("\ud83d\udd12\u9501\u9375", "659c61c9d839a7dbed0876ff"),
        Arguments.of("x".repeat(512), "53ef0000dab400001a400000"),
        Arguments.of("A".repeat(22), "761621603f31b080201c6800"),
        Arguments.of("key-with-emoji-\ud83d\udd12", "f3ea5595dc40e41f3d8dcc73"));
  }

  @ParameterizedTest
  @MethodSource("vectors")
  @Guarantee("L96")
  void the_hash_is_the_shared_one(String text, String hash) {
    assertThat(DisplayHash.of(text)).isEqualTo(hash);
  }

  @Test
  @Guarantee("L96")
  void its_first_part_is_the_hash_code_of_the_canonical_text() {
    String text = "resource:123";

    assertThat(DisplayHash.of(text)).startsWith(Integer.toHexString(text.hashCode()));
  }
}
