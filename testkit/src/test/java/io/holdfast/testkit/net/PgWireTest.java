package io.holdfast.testkit.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PgWireTest {
  private final PgWire wire = new PgWire();

  @Test
  void logging_in_is_no_round_trip() {
    send(startup(), message('p', text("secret")));

    assertThat(wire.roundTrips()).isZero();
    assertThat(wire.statements()).isEmpty();
  }

  @Test
  void a_simple_query_is_one_round_trip() {
    send(startup(), query("BEGIN"));

    assertThat(wire.roundTrips()).isEqualTo(1);
    assertThat(wire.statements()).containsExactly("BEGIN");
  }

  @Test
  void statements_that_share_a_sync_share_a_round_trip() {
    send(startup(), parse("", "BEGIN"), bind(), execute(), parse("S_1", "SELECT 'ü'"));
    assertThat(wire.roundTrips()).isZero();

    send(wire.connection(), startup(), parse("", "SELECT 1"), bind(), execute(), sync());

    assertThat(wire.roundTrips()).isEqualTo(1);
    assertThat(wire.statements()).containsExactly("BEGIN", "SELECT 'ü'", "SELECT 1");
  }

  @Test
  void a_prepared_statement_counts_by_its_sync() {
    send(startup(), parse("S_1", "SELECT 1"), sync(), bind(), execute(), sync());

    assertThat(wire.roundTrips()).isEqualTo(2);
    assertThat(wire.statements()).containsExactly("SELECT 1");
  }

  @Test
  void bytes_inside_a_message_are_not_taken_for_messages() {
    byte[] payload = concat(sync(), query("SELECT 1"), sync());

    send(startup(), message('B', payload), message('d', payload), query("Q S P"));

    assertThat(wire.roundTrips()).isEqualTo(1);
    assertThat(wire.statements()).containsExactly("Q S P");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 7, 64, 8192, 16384})
  void message_boundaries_do_not_matter(int portion) {
    String big = "SELECT '" + "x".repeat(30_000) + "'";
    byte[] stream =
        concat(
            packet(80877104),
            packet(80877103),
            startup(),
            query("SELECT 1"),
            parse("S_2", big),
            bind(),
            sync(),
            sync());
    Consumer<byte[]> connection = wire.connection();

    for (int at = 0; at < stream.length; at += portion) {
      connection.accept(Arrays.copyOfRange(stream, at, Math.min(stream.length, at + portion)));
    }

    assertThat(wire.roundTrips()).isEqualTo(3);
    assertThat(wire.statements()).containsExactly("SELECT 1", big);
  }

  @Test
  void a_declined_request_for_encryption_precedes_the_startup_packet() {
    send(packet(80877103), packet(80877104), startup(), sync());

    assertThat(wire.roundTrips()).isEqualTo(1);
  }

  @Test
  void a_cancel_request_counts_nothing() {
    byte[] processAndSecret = ByteBuffer.allocate(8).putInt(4711).putInt(42).array();

    send(packet(80877102, processAndSecret), query("never sent"));

    assertThat(wire.roundTrips()).isZero();
    assertThat(wire.statements()).isEmpty();
  }

  @Test
  void a_cancel_request_may_follow_a_declined_encryption() {
    byte[] processAndSecret = ByteBuffer.allocate(8).putInt(4711).putInt(42).array();

    send(packet(80877103), packet(80877102, processAndSecret));

    assertThat(wire.roundTrips()).isZero();
  }

  @Test
  void later_minor_versions_of_the_protocol_are_read() {
    send(packet((3 << 16) | 2, text("user"), text("u"), new byte[1]), sync());

    assertThat(wire.roundTrips()).isEqualTo(1);
  }

  @Test
  void an_encrypted_connection_is_reported_not_miscounted() {
    byte[] clientHello = {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, (byte) 0xfc, 0x03, 0x03};

    send(packet(80877103), clientHello);

    assertThatThrownBy(wire::roundTrips).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(wire::statements).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void an_impossible_message_length_is_reported() {
    send(startup(), new byte[] {'Q', 0, 0, 0, 3});

    assertThatThrownBy(wire::roundTrips).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void reset_starts_over_in_the_middle_of_a_connection() {
    Consumer<byte[]> connection = wire.connection();
    send(connection, startup(), query("SELECT 1"));

    wire.reset();
    send(connection, query("SELECT 2"));

    assertThat(wire.roundTrips()).isEqualTo(1);
    assertThat(wire.statements()).containsExactly("SELECT 2");
  }

  @Test
  void connections_interleave_without_mixing() {
    Consumer<byte[]> first = wire.connection();
    Consumer<byte[]> second = wire.connection();
    byte[] half = query("SELECT 1");

    send(first, startup(), Arrays.copyOf(half, 7));
    send(second, startup(), query("SELECT 2"));
    send(first, Arrays.copyOfRange(half, 7, half.length));

    assertThat(wire.statements()).containsExactly("SELECT 2", "SELECT 1");
    assertThat(wire.roundTrips()).isEqualTo(2);
  }

  @Test
  void an_answer_is_complete_with_ready_for_query() {
    byte[] commandComplete = message('C', text("COMMIT Z"));
    byte[] ready = message('Z', new byte[] {'I'});

    assertThat(PgWire.isAnswered(commandComplete)).isFalse();
    assertThat(PgWire.isAnswered(concat(commandComplete, Arrays.copyOf(ready, 5)))).isFalse();
    assertThat(PgWire.isAnswered(concat(commandComplete, ready))).isTrue();
    assertThat(PgWire.isAnswered(concat(ready, message('A', text("late notification"))))).isTrue();
  }

  private void send(byte[]... parts) {
    send(wire.connection(), parts);
  }

  private static void send(Consumer<byte[]> connection, byte[]... parts) {
    for (byte[] part : parts) {
      connection.accept(part);
    }
  }

  static byte[] query(String sql) {
    return message('Q', text(sql));
  }

  private static byte[] parse(String name, String sql) {
    return message('P', text(name), text(sql), new byte[2]);
  }

  private static byte[] bind() {
    return message('B', new byte[8]);
  }

  private static byte[] execute() {
    return message('E', new byte[5]);
  }

  private static byte[] sync() {
    return message('S');
  }

  private static byte[] startup() {
    return packet(3 << 16, text("user"), text("postgres"), new byte[1]);
  }

  private static byte[] packet(int code, byte[]... parts) {
    byte[] body = concat(parts);
    return ByteBuffer.allocate(8 + body.length)
        .putInt(8 + body.length)
        .putInt(code)
        .put(body)
        .array();
  }

  static byte[] message(char type, byte[]... parts) {
    byte[] body = concat(parts);
    return ByteBuffer.allocate(5 + body.length)
        .put((byte) type)
        .putInt(4 + body.length)
        .put(body)
        .array();
  }

  static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static byte[] text(String text) {
    return (text + "\0").getBytes(UTF_8);
  }
}
