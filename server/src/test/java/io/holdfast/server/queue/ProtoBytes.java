package io.holdfast.server.queue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Protobuf by hand, so that a mistake of the server's reader is not made twice. */
final class ProtoBytes {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  static ProtoBytes message() {
    return new ProtoBytes();
  }

  ProtoBytes number(int field, long value) {
    varint((long) field << 3);
    varint(value);
    return this;
  }

  ProtoBytes text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  ProtoBytes bytes(int field, byte[] value) {
    varint((long) field << 3 | 2);
    varint(value.length);
    out.writeBytes(value);
    return this;
  }

  ProtoBytes message(int field, ProtoBytes value) {
    return bytes(field, value.bytes());
  }

  ProtoBytes time(int field, String instant) {
    Instant time = Instant.parse(instant);
    ProtoBytes message = message();
    if (time.getEpochSecond() != 0) {
      message.number(1, time.getEpochSecond());
    }
    if (time.getNano() != 0) {
      message.number(2, time.getNano());
    }
    return message(field, message);
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) (rest & 0x7f | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  byte[] bytes() {
    return out.toByteArray();
  }

  /** Fields by number: a {@code Long} or a {@code byte[]} each. */
  static Map<Integer, List<Object>> read(byte[] message) {
    Map<Integer, List<Object>> fields = new TreeMap<>();
    int[] at = {0};
    while (at[0] < message.length) {
      long tag = varint(message, at);
      Object value;
      if ((tag & 7) == 0) {
        value = varint(message, at);
      } else {
        int length = (int) varint(message, at);
        value = java.util.Arrays.copyOfRange(message, at[0], at[0] + length);
        at[0] += length;
      }
      fields.computeIfAbsent((int) (tag >> 3), n -> new ArrayList<>()).add(value);
    }
    return fields;
  }

  static String text(Object value) {
    return new String((byte[]) value, StandardCharsets.UTF_8);
  }

  private static long varint(byte[] message, int[] at) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte b = message[at[0]++];
      value |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }
}
