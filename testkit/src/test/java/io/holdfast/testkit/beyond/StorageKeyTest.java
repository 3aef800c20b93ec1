package io.holdfast.testkit.beyond;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ErrorCode;
import io.holdfast.lock.LockException;
import io.holdfast.lock.StorageKey;
import io.holdfast.testkit.Guarantee;
import org.junit.jupiter.api.Test;

/** Stored names are those that every other implementation makes. */
class StorageKeyTest {
  @Test
  @Guarantee("L96")
  void a_key_that_fits_is_stored_as_it_is_and_its_fence_key_by_its_hash() {
    String longest = "x".repeat(1700);

    assertThat(StorageKey.of("", longest, 1700, 0)).isEqualTo(longest);
    assertThat(fenceKey(longest)).isEqualTo("dWMcDpgd0G6PLp6U3Q9GLw");
  }

  @Test
  @Guarantee("L96")
  void a_key_that_does_not_fit_is_stored_by_its_hash() {
    String hashed = StorageKey.of("", "x".repeat(1701), 1700, 0);

    assertThat(hashed).isEqualTo("bfWkEf_eL9ZYrB28wnAnnA");
    assertThat(fenceKey(hashed)).isEqualTo("fence:bfWkEf_eL9ZYrB28wnAnnA");
  }

  @Test
  @Guarantee("L96")
  void the_limit_is_in_bytes() {
    assertThat(StorageKey.of("", "\u00e9".repeat(851), 1700, 0))
        .isEqualTo("aGQzSet6PIirEhgn4cugUQ");
    assertThat(StorageKey.of("", "\u00e9".repeat(850), 1700, 0)).isEqualTo("\u00e9".repeat(850));
  }

  @Test
  @Guarantee("L96")
  void a_prefix_stands_before_the_key_or_its_hash() {
    String key = "x".repeat(500);

    assertThat(StorageKey.of("test", key, 100, 0)).isEqualTo("test:almAngpz1zHVEeEfkwDrhg");
    assertThat(StorageKey.of("test:::", key, 100, 0)).isEqualTo("test:almAngpz1zHVEeEfkwDrhg");
    assertThat(StorageKey.of("test:", "resource", 1000, 0)).isEqualTo("test:resource");
  }

  @Test
  @Guarantee("L96")
  void only_trailing_colons_of_a_prefix_are_stripped() {
    assertThat(StorageKey.of(":::", "key", 100, 0)).isEqualTo("key");
    assertThat(StorageKey.of(":a::b:", "key", 100, 0)).isEqualTo(":a::b:key");
    assertThat(StorageKey.of("a:\n", "key", 100, 0)).isEqualTo("a:\n:key");
  }

  @Test
  @Guarantee("L96")
  void the_key_is_normalised_and_the_prefix_is_not() {
    assertThat(StorageKey.of("cafe\u0301", "cafe\u0301", 100, 0)).isEqualTo("cafe\u0301:caf\u00e9");
    assertThat(StorageKey.of("", "e\u0301".repeat(851), 1700, 0))
        .isEqualTo("aGQzSet6PIirEhgn4cugUQ");
  }

  @Test
  @Guarantee("L96")
  void the_reserve_counts_against_the_limit() {
    assertThat(StorageKey.of("", "x".repeat(90), 100, 10)).isEqualTo("x".repeat(90));
    assertThat(StorageKey.of("", "x".repeat(91), 100, 10)).hasSize(22);
    assertThat(StorageKey.of("p", "x".repeat(88), 100, 10)).isEqualTo("p:" + "x".repeat(88));
    assertThat(StorageKey.of("p", "x".repeat(89), 100, 10)).startsWith("p:").hasSize(24);
  }

  @Test
  @Guarantee("L96")
  void what_cannot_fit_is_refused() {
    assertRefused("", "", 100, 0);
    assertRefused("prefix", "k", 6, 0);
    assertRefused("prefix", "k", 100, 94);
    assertRefused("", "k", 100, 101);
    assertRefused("", "x".repeat(22), 21, 0);
    assertRefused("p", "x".repeat(30), 23, 0);
    assertThat(StorageKey.of("p", "x".repeat(30), 24, 0)).hasSize(24);
    assertThat(StorageKey.of("prefix", "k", 8, 0)).isEqualTo("prefix:k");
  }

  private static String fenceKey(String storageKey) {
    return StorageKey.of("", "fence:" + storageKey, 1700, 0);
  }

  private static void assertRefused(String prefix, String key, int limit, int reserve) {
    assertThatThrownBy(() -> StorageKey.of(prefix, key, limit, reserve))
        .isInstanceOfSatisfying(
            LockException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
  }
}
