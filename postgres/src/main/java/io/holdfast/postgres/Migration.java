package io.holdfast.postgres;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/**
 * One step of the schema {@code holdfast}: a file {@code V<version>__<description>.sql} in the jar.
 */
public record Migration(int version, String description, String sql) {
  /** What tells whether an applied step is still the one in the jar. */
  public long checksum() {
    CRC32 crc = new CRC32();
    crc.update(sql.getBytes(StandardCharsets.UTF_8));
    return crc.getValue();
  }

  /** The name under which it ships. */
  public String fileName() {
    return "V" + version + "__" + description + ".sql";
  }

  static Migration load(int version, String description) {
    String name = "migrations/V" + version + "__" + description + ".sql";
    return new Migration(version, description, Resources.text(name));
  }
}
