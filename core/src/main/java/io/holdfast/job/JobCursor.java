package io.holdfast.job;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Where a list goes on, as text: base64url of fields that U+0000 divides. It is good for one queue,
 * state and type.
 *
 * @param part which part of the list
 * @param after behind which place of it; null: from its beginning
 */
record JobCursor(JobParts.Part part, JobParts.@Nullable Position after) {
  private static final String VERSION = "2";
  private static final int FIELDS = 6;
  private static final String NOTHING = "-";
  private static final long FARTHEST_MICROS = 253_402_300_800_000_000L;

  /** The cursor of a query; fails when it is not one of ours, or of another query. */
  static JobCursor read(String text, JobQuery query) {
    try {
      byte[] bytes = Base64.getUrlDecoder().decode(text);
      String[] fields = new String(bytes, StandardCharsets.UTF_8).split("\0", -1);
      boolean isOurs =
          fields.length == FIELDS && fields[0].equals(VERSION) && fields[1].equals(binding(query));
      if (!isOurs) {
        throw invalid();
      }
      JobParts.Part part = JobParts.Part.valueOf(fields[2]);
      if (fields[5].isEmpty()) {
        return new JobCursor(part, null);
      }
      Instant at = fields[3].equals(NOTHING) ? null : instant(Long.parseLong(fields[3]));
      String key = fields[4].isEmpty() ? null : fields[4].substring(1);
      return new JobCursor(part, new JobParts.Position(at, key, fields[5]));
    } catch (IllegalArgumentException e) {
      throw invalid();
    }
  }

  private static JobException invalid() {
    return new JobException(
        JobError.INVALID_CURSOR, "cursor is not one that this list has given", null);
  }

  /** The cursor as text, for the pages of this query. */
  String text(JobQuery query) {
    String at = after == null || after.at() == null ? NOTHING : String.valueOf(micros(after.at()));
    String key = after == null || after.key() == null ? "" : "+" + after.key();
    String id = after == null ? "" : after.id();
    String text = String.join("\0", VERSION, binding(query), part.name(), at, key, id);
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String binding(JobQuery query) {
    CRC32 crc = new CRC32();
    String text = query.queue() + '\0' + query.state() + '\0' + query.type();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return Long.toHexString(crc.getValue());
  }

  private static long micros(Instant at) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, at);
  }

  private static Instant instant(long micros) {
    if (Math.abs(micros) > FARTHEST_MICROS) {
      throw invalid();
    }
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
