package io.holdfast.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.ErrorCode;
import io.holdfast.HoldfastException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FenceTest {
  @ParameterizedTest
  @CsvSource({
    "0, 000000000000000",
    "1, 000000000000001",
    "900000000000000, 900000000000000",
    "999999999999999, 999999999999999"
  })
  void its_text_has_15_digits_and_reads_back(long value, String text) {
    assertThat(new Fence(value).text()).isEqualTo(text);
    assertThat(new Fence(value)).hasToString(text);
    assertThat(Fence.parse(text)).isEqualTo(new Fence(value));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 1_000_000_000_000_000L, Long.MAX_VALUE, Long.MIN_VALUE})
  void it_is_from_0_to_10_to_the_15_minus_1(long value) {
    assertInvalid(() -> new Fence(value));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1",
        "00000000000001",
        "0000000000000001",
        "+00000000000001",
        "-00000000000001",
        " 00000000000001",
        "00000000000001 ",
        "00000000000000a",
        "0x0000000000001",
        "\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0661"
      })
  void only_exactly_15_decimal_digits_are_read(String text) {
    assertInvalid(() -> Fence.parse(text));
  }

  @Test
  void order_is_numeric() {
    List<Fence> fences = List.of(new Fence(10), new Fence(9), new Fence(100), new Fence(0));

    assertThat(fences.stream().sorted().map(Fence::value)).containsExactly(0L, 9L, 10L, 100L);
    assertThat(new Fence(7)).isEqualByComparingTo(new Fence(7));
  }

  @Test
  void its_bounds_are_those_of_the_shared_tables() {
    assertThat(Fence.MAX).isEqualTo(900_000_000_000_000L);
    assertThat(Fence.WARN).isEqualTo(90_000_000_000_000L);
  }

  private static void assertInvalid(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            HoldfastException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
  }
}
