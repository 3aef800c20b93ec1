package io.holdfast.server.queue;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.holdfast.client.proto.FieldType;
import io.holdfast.client.proto.MalformedMessage;
import io.holdfast.client.proto.MessageType;
import io.holdfast.client.proto.ProtoJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages in the binary form of protobuf, from the same records as JSON. Unknown fields are
 * skipped; of a single field that is there twice, the last counts.
 */
final class Protobuf {
  private static final int NANOS = 1_000_000_000;

  private Protobuf() {}

  static <T extends Record> T read(MessageType<T> type, byte[] body) {
    try {
      return read(type, CodedInputStream.newInstance(body));
    } catch (IOException e) {
      throw new MalformedMessage("the body is not the expected protobuf message");
    }
  }

  private static <T extends Record> T read(MessageType<T> type, CodedInputStream in)
      throws IOException {
    List<FieldType> fields = type.fields();
    @Nullable Object[] values = new @Nullable Object[fields.size()];
    fields.forEach(f -> values[f.index()] = f.isRepeated() ? new ArrayList<>() : f.absent());
    int tag = in.readTag();
    while (tag != 0) {
      FieldType field = type.numbered(WireFormat.getTagFieldNumber(tag));
      if (field == null || WireFormat.getTagWireType(tag) != wireType(field)) {
        if (!in.skipField(tag)) {
          throw new InvalidProtocolBufferException("a group that ends before it begins");
        }
      } else {
        Object value = value(field, in);
        values[field.index()] = field.isRepeated() ? with(values[field.index()], value) : value;
      }
      tag = in.readTag();
    }
    return type.make(values);
  }

  @SuppressWarnings("unchecked") // put there by read
  private static List<Object> with(@Nullable Object list, Object value) {
    List<Object> values = (List<Object>) list;
    values.add(value);
    return values;
  }

  private static int wireType(FieldType field) {
    return switch (field.kind()) {
      case INT, LONG, FLAG -> WireFormat.WIRETYPE_VARINT;
      case TEXT, BYTES, TIME, TEXTS, MESSAGE -> WireFormat.WIRETYPE_LENGTH_DELIMITED;
    };
  }

  private static Object value(FieldType field, CodedInputStream in) throws IOException {
    return switch (field.kind()) {
      case TEXT -> in.readStringRequireUtf8();
      case INT -> in.readInt32();
      case LONG -> in.readInt64();
      case FLAG -> in.readBool();
      case BYTES -> in.readByteArray();
      case TIME -> time(field, CodedInputStream.newInstance(in.readByteArray()));
      case MESSAGE -> read(field.type(), CodedInputStream.newInstance(in.readByteArray()));
      case TEXTS -> throw new InvalidProtocolBufferException("requests have no maps");
    };
  }

  private static Instant time(FieldType field, CodedInputStream in) throws IOException {
    long seconds = 0;
    int nanos = 0;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == WireFormat.WIRETYPE_VARINT + (1 << 3)) {
        seconds = in.readInt64();
      } else if (tag == WireFormat.WIRETYPE_VARINT + (2 << 3)) {
        nanos = in.readInt32();
      } else if (!in.skipField(tag)) {
        throw new InvalidProtocolBufferException("a group that ends before it begins");
      }
    }
    try {
      if (nanos >= 0 && nanos < NANOS) {
        return Instant.ofEpochSecond(seconds, nanos);
      }
    } catch (DateTimeException e) {
      // told below
    }
    throw new MalformedMessage("field '" + field.name() + "' is not a time");
  }

  static byte[] write(Record message, ProtoJson.Audience audience) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      for (FieldType field : MessageType.of(message.getClass()).fields()) {
        Object value = field.get(message);
        boolean isFor = audience != ProtoJson.Audience.STRICT || !field.isExtension();
        if (value != null && isFor && !field.isOmitted(value)) {
          for (Object each : field.isRepeated() ? (List<?>) value : List.of(value)) {
            write(field, each, out, audience);
          }
        }
      }
      out.flush();
    } catch (IOException e) {
      throw new IllegalStateException("a message cannot be written", e);
    }
    return bytes.toByteArray();
  }

  private static void write(
      FieldType field, Object value, CodedOutputStream out, ProtoJson.Audience audience)
      throws IOException {
    int number = field.number();
    switch (field.kind()) {
      case TEXT -> out.writeString(number, (String) value);
      case INT -> out.writeInt32(number, (Integer) value);
      case LONG -> out.writeInt64(number, (Long) value);
      case FLAG -> out.writeBool(number, (Boolean) value);
      case BYTES -> out.writeByteArray(number, (byte[]) value);
      case TIME -> out.writeByteArray(number, time(audience.time((Instant) value)));
      case MESSAGE -> out.writeByteArray(number, write((Record) value, audience));
      case TEXTS -> {
        for (Map.Entry<?, ?> text : ((Map<?, ?>) value).entrySet()) {
          out.writeByteArray(number, entry(text));
        }
      }
    }
  }

  private static byte[] time(Instant time) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    if (time.getEpochSecond() != 0) {
      out.writeInt64(1, time.getEpochSecond());
    }
    if (time.getNano() != 0) {
      out.writeInt32(2, time.getNano());
    }
    out.flush();
    return bytes.toByteArray();
  }

  private static byte[] entry(Map.Entry<?, ?> text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.writeString(1, String.valueOf(text.getKey()));
    out.writeString(2, String.valueOf(text.getValue()));
    out.flush();
    return bytes.toByteArray();
  }
}
