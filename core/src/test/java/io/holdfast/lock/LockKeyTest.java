package io.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class LockKeyTest {
  private static final String COMPOSED = "caf\u00e9";
  private static final String DECOMPOSED = "cafe\u0301";

  @ParameterizedTest
  @NullAndEmptySource
  @ValueSource(
      strings = {
        "\ud83d",
        "a\ud83d",
        "\udd12",
        "\udd12\ud83d",
        "\ud83d\ud83d\udd12",
        "\u0000",
        "a\u0000b",
        "ends with\u0000"
      })
  void empty_keys_and_such_with_nul_or_unpaired_surrogates_are_refused(String text) {
    assertRefused(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {" ", " a ", "\n", "\ud83d\udd12", "\uffff", "key:with:colons", "\u0001"})
  void everything_else_is_a_key_as_it_is(String text) {
    assertThat(LockKey.of(text).text()).isEqualTo(text);
  }

  @Test
  void composed_and_decomposed_spellings_are_one_key() {
    assertThat(LockKey.of(DECOMPOSED)).isEqualTo(LockKey.of(COMPOSED));
    assertThat(new LockKey(DECOMPOSED).text()).isEqualTo(COMPOSED);
  }

  @Test
  void keys_are_neither_trimmed_nor_folded() {
    assertThat(LockKey.of("key")).isNotEqualTo(LockKey.of("Key"));
    assertThat(LockKey.of("key")).isNotEqualTo(LockKey.of("key "));
    assertThat(LockKey.of("\ufb01")).isNotEqualTo(LockKey.of("fi"));
  }

  @Test
  void the_limit_is_512_bytes_of_utf_8() {
    assertThat(LockKey.of("x".repeat(512)).text()).hasSize(512);
    assertRefused("x".repeat(513));
    assertThat(LockKey.of("\u00e9".repeat(256)).text()).hasSize(256);
    assertRefused("\u00e9".repeat(256) + "x");
    assertThat(LockKey.of("\ud83d\udd12".repeat(128)).text()).hasSize(256);
    assertRefused("\ud83d\udd12".repeat(128) + "x");
    assertRefused("x".repeat(2000));
    assertRefused("x".repeat(10_000_000));
  }

  @Test
  void the_limit_holds_for_the_canonical_spelling() {
    assertThat(LockKey.of("e\u0301".repeat(256)).text()).isEqualTo("\u00e9".repeat(256));
    assertThat(LockKey.of("\u1112\u1161\u11ab".repeat(170)).text()).isEqualTo("\ud55c".repeat(170));
    assertRefused("\u0958".repeat(100)); // 300 bytes as given, 600 when decomposed as NFC demands
  }

  @Test
  void the_stored_names_are_the_key_and_the_key_after_fence() {
    LockKey longest = LockKey.of("x".repeat(512));

    assertThat(LockKey.of(DECOMPOSED).storageKey()).isEqualTo(COMPOSED);
    assertThat(LockKey.of(DECOMPOSED).fenceKey()).isEqualTo("fence:" + COMPOSED);
    assertThat(longest.storageKey()).isEqualTo(longest.text());
    assertThat(longest.fenceKey()).isEqualTo("fence:" + longest.text());
  }

  @Test
  void a_message_names_the_argument_and_not_the_key() {
    assertThatThrownBy(() -> LockKey.canonical("secret\u0000", "resource"))
        .hasMessageContaining("resource")
        .hasMessageNotContaining("secret");
    assertThat(LockKey.of("secret").toString()).doesNotContain("secret");
  }

  private static void assertRefused(String text) {
    assertThatThrownBy(() -> LockKey.of(text))
        .isInstanceOfSatisfying(
            LockException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
  }
}
