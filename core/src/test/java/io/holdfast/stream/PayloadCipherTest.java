package io.holdfast.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PayloadCipherTest {
  private static final String KEY = "00112233445566778899aabbccddeeff".repeat(2);
  private static final UUID QUEUE = new UUID(1, 2);
  private static final Payload SECRET = Payload.of("the secret");

  private final PayloadCipher cipher = cipher(KEY);

  private static PayloadCipher cipher(String key) {
    return Objects.requireNonNull(PayloadCipher.of(key));
  }

  @Test
  void an_envelope_opens_and_shows_nothing() {
    Payload sealed = cipher.seal(SECRET, QUEUE);

    assertThat(sealed.text()).doesNotContain("secret");
    assertThat(cipher.open(sealed, QUEUE)).isEqualTo(SECRET);
  }

  @Test
  void equal_payloads_look_different() {
    assertThat(cipher.seal(SECRET, QUEUE)).isNotEqualTo(cipher.seal(SECRET, QUEUE));
  }

  @Test
  void an_envelope_of_another_queue_does_not_open() {
    Payload opened = cipher.open(cipher.seal(SECRET, QUEUE), new UUID(1, 3));

    assertThat(opened.isReadable()).isFalse();
    assertThatThrownBy(opened::text)
        .isInstanceOfSatisfying(
            StreamException.class,
            e -> assertThat(e.error()).isEqualTo(StreamError.DECRYPT_FAILED));
  }

  @Test
  void another_key_does_not_open_it() {
    PayloadCipher other = cipher("f".repeat(64));

    assertThatThrownBy(() -> other.open(cipher.seal(SECRET, QUEUE), QUEUE).text())
        .hasMessageContaining("another key");
  }

  @Test
  void a_changed_envelope_does_not_open() {
    byte[] bytes = cipher.seal(SECRET, QUEUE).bytes();
    for (int i = 0; i < bytes.length; i++) {
      byte[] changed = bytes.clone();
      changed[i] ^= 1;

      assertThat(cipher.open(Payload.of(changed), QUEUE).isReadable()).as("byte %d", i).isFalse();
    }
    assertThat(cipher.open(Payload.EMPTY, QUEUE).isReadable()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "00", "zz112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"})
  void a_key_that_is_none_is_refused(String digits) {
    assertThatThrownBy(() -> PayloadCipher.of(digits))
        .isInstanceOf(StreamException.class)
        .hasMessageContaining("64 hexadecimal digits");
  }
}
