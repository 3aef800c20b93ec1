package io.holdfast.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Rows of values under names: a table for people, an array of objects for programs. */
final class Listing {
  private static final String NOTHING = "-";

  private final List<String> columns;
  private final List<@Nullable Object[]> rows = new ArrayList<>();

  private Listing(List<String> columns) {
    this.columns = columns;
  }

  static Listing of(String... columns) {
    return new Listing(List.of(columns));
  }

  /** One row, a value per column. */
  Listing add(@Nullable Object... values) {
    if (values.length != columns.size()) {
      throw new IllegalArgumentException("a value for each column");
    }
    rows.add(values);
    return this;
  }

  void print(PrintWriter out, boolean json) {
    if (json) {
      Json.print(asJson(), out);
    } else if (rows.isEmpty()) {
      out.println("nothing");
    } else {
      table(out);
    }
    out.flush();
  }

  /** As one thing: a line per column of its only row. */
  void printOne(PrintWriter out, boolean json) {
    if (json) {
      Json.print(object(rows.get(0)), out);
    } else {
      int width = columns.stream().mapToInt(String::length).max().orElse(0);
      for (int i = 0; i < columns.size(); i++) {
        out.printf("%-" + width + "s  %s%n", columns.get(i), text(rows.get(0)[i]));
      }
    }
    out.flush();
  }

  private void table(PrintWriter out) {
    int[] widths = columns.stream().mapToInt(String::length).toArray();
    for (@Nullable Object[] row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], text(row[i]).length());
      }
    }
    line(out, columns.toArray(), widths);
    rows.forEach(row -> line(out, row, widths));
  }

  private static void line(PrintWriter out, @Nullable Object[] values, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String text = text(values[i]);
      int pad = widths[i] - text.length();
      boolean isNumber = values[i] instanceof Number;
      line.append(i == 0 ? "" : "  ")
          .append(isNumber ? " ".repeat(pad) + text : text + " ".repeat(pad));
    }
    out.println(line.toString().stripTrailing());
  }

  private static String text(@Nullable Object value) {
    String plain =
        value instanceof Map<?, ?> map
            ? map.entrySet().stream()
                .filter(entry -> entry.getValue() != null)
                .map(Object::toString)
                .collect(Collectors.joining(" "))
            : String.valueOf(value);
    String text = value == null ? NOTHING : Text.oneLine(plain);
    return text.isEmpty() ? NOTHING : text;
  }

  /** An array of objects. */
  ArrayNode asJson() {
    ArrayNode array = Json.object().arrayNode();
    rows.forEach(row -> array.add(object(row)));
    return array;
  }

  private ObjectNode object(@Nullable Object[] row) {
    ObjectNode object = Json.object();
    for (int i = 0; i < row.length; i++) {
      put(object, columns.get(i), row[i]);
    }
    return object;
  }

  private static void put(ObjectNode object, String name, @Nullable Object value) {
    if (value instanceof Integer number) {
      object.put(name, number);
    } else if (value instanceof Long number) {
      object.put(name, number);
    } else if (value instanceof Boolean flag) {
      object.put(name, flag);
    } else if (value instanceof Map<?, ?> map) {
      ObjectNode inner = object.putObject(name);
      map.forEach((key, each) -> put(inner, String.valueOf(key), each));
    } else {
      object.put(name, value == null ? null : value.toString());
    }
  }

  @Override
  public String toString() {
    return columns + " " + rows.stream().map(Arrays::toString).toList();
  }
}
