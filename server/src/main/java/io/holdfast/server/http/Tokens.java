package io.holdfast.server.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Who has which token. A line of a token file is {@code name roles sha256 [prefixes]}: roles and
 * prefixes separated by commas, the hash in hexadecimal; a line may be empty or begin with #.
 */
public final class Tokens {
  private static final int FIELDS = 3;
  private static final int HASH_BYTES = 32;

  private final List<Entry> entries;

  private record Entry(byte[] hash, Caller caller) {}

  private Tokens(List<Entry> entries) {
    this.entries = entries;
  }

  /**
   * Reads a token file.
   *
   * @throws IllegalArgumentException naming the line, but not what is on it
   */
  public static Tokens parse(List<String> lines) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (!line.isEmpty() && !line.startsWith("#")) {
        entries.add(entry(line.split("\\s+"), i + 1));
      }
    }
    return new Tokens(List.copyOf(entries));
  }

  private static Entry entry(String[] fields, int number) {
    if (fields.length < FIELDS || fields.length > FIELDS + 1) {
      throw wrong(number, "should be: name roles sha256 [prefixes]");
    }
    List<String> prefixes =
        fields.length > FIELDS ? List.of(fields[FIELDS].split(",", -1)) : List.of();
    if (prefixes.contains("")) {
      throw wrong(number, "has an empty prefix, which would be that of every name");
    }
    return new Entry(
        hash(fields[2], number), new Caller(fields[0], roles(fields[1], number), prefixes));
  }

  private static Set<Role> roles(String text, int number) {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    for (String role : text.split(",")) {
      try {
        roles.add(Role.valueOf(role.toUpperCase(Locale.ROOT)));
      } catch (IllegalArgumentException e) {
        throw wrong(number, "has a role that is none of read, produce, work, admin");
      }
    }
    return Set.copyOf(roles);
  }

  private static byte[] hash(String text, int number) {
    try {
      byte[] hash = HexFormat.of().parseHex(text.toLowerCase(Locale.ROOT));
      if (hash.length == HASH_BYTES) {
        return hash;
      }
    } catch (IllegalArgumentException e) {
      // said below, without the text: it might be the token itself
    }
    throw wrong(number, "should have the SHA-256 of its token as 64 hexadecimal digits");
  }

  private static IllegalArgumentException wrong(int number, String what) {
    return new IllegalArgumentException("line " + number + " of the token file " + what);
  }

  /** The line of a token file for a new token. */
  public static String line(String name, Set<Role> roles, List<String> prefixes, String token) {
    String line =
        name
            + " "
            + String.join(",", roles.stream().sorted().map(Role::text).toList())
            + " "
            + HexFormat.of().formatHex(sha256(token));
    return prefixes.isEmpty() ? line : line + " " + String.join(",", prefixes);
  }

  /** Who has this token. Looks at all of them, and at all of each. */
  Optional<Caller> find(String token) {
    byte[] hash = sha256(token);
    Caller found = null;
    for (Entry entry : entries) {
      if (MessageDigest.isEqual(entry.hash, hash)) {
        found = entry.caller;
      }
    }
    return Optional.ofNullable(found);
  }

  private static byte[] sha256(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
