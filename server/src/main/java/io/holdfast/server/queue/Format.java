package io.holdfast.server.queue;

import io.holdfast.client.proto.MalformedMessage;
import io.holdfast.client.proto.MessageType;
import io.holdfast.client.proto.ProtoJson;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What bodies look like. */
enum Format {
  JSON("application/json") {
    @Override
    <T extends Record> T read(MessageType<T> type, byte[] body) {
      return ProtoJson.read(type, body);
    }

    @Override
    byte[] write(Record message, ProtoJson.Audience audience) {
      return ProtoJson.write(message, audience);
    }
  },
  PROTOBUF("application/protobuf") {
    @Override
    <T extends Record> T read(MessageType<T> type, byte[] body) {
      return Protobuf.read(type, body);
    }

    @Override
    byte[] write(Record message, ProtoJson.Audience audience) {
      return Protobuf.write(message, audience);
    }
  };

  private final String type;

  Format(String type) {
    this.type = type;
  }

  /** Its content type. */
  String type() {
    return type;
  }

  abstract <T extends Record> T read(MessageType<T> type, byte[] body);

  abstract byte[] write(Record message, ProtoJson.Audience audience);

  /** What a header asks for: its first type counts; JSON for any. */
  static Format of(String header, @Nullable String value) {
    String first = value == null ? "" : value.split("[;,]", 2)[0].strip();
    return switch (first.toLowerCase(Locale.ROOT)) {
      case "", "*/*", "application/*", "application/json" -> JSON;
      case "application/protobuf" -> PROTOBUF;
      default ->
          throw new MalformedMessage("header '" + header + "' names a type that is not known here");
    };
  }
}
