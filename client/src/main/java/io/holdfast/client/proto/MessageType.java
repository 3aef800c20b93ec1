package io.holdfast.client.proto;

import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a message consists of, read from its record: each component carries its {@link Field}
 * number, and its type says how it looks in JSON and in protobuf. A component that may be null is
 * optional: JSON can tell whether it was there; protobuf, as it was spoken before it had optional
 * fields, cannot, and sends the default.
 */
public final class MessageType<T extends Record> {
  private static final Pattern HUMP = Pattern.compile("([A-Z])");
  private static final ClassValue<MessageType<?>> TYPES =
      new ClassValue<>() {
        @Override
        protected MessageType<?> computeValue(Class<?> type) {
          return new MessageType<>(type.asSubclass(Record.class));
        }
      };

  private final Constructor<T> constructor;
  private final List<FieldType> fields = new ArrayList<>();
  private final Map<String, FieldType> named = new HashMap<>();
  private final Map<Integer, FieldType> numbered = new HashMap<>();

  private MessageType(Class<T> type) {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] parameters = new Class<?>[components.length];
    for (int i = 0; i < components.length; i++) {
      parameters[i] = components[i].getType();
      add(field(i, components[i]), components[i].getName());
    }
    try {
      constructor = type.getConstructor(parameters);
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException("not a public record: " + type, e);
    }
  }

  /** The type of a record. */
  @SuppressWarnings("unchecked") // it was made from that very class
  public static <T extends Record> MessageType<T> of(Class<T> type) {
    return (MessageType<T>) TYPES.get(type);
  }

  private void add(FieldType field, String camel) {
    fields.add(field);
    named.put(field.name(), field);
    named.put(camel, field);
    named.put(snake(camel), field);
    numbered.put(field.number(), field);
  }

  private static FieldType field(int index, RecordComponent component) {
    Field field = component.getAnnotation(Field.class);
    Type type = component.getGenericType();
    boolean isRepeated = component.getType() == List.class;
    Class<?> element =
        isRepeated
            ? (Class<?>) ((ParameterizedType) type).getActualTypeArguments()[0]
            : component.getType();
    FieldType.Kind kind = kind(element);
    AnnotatedType annotated = component.getAnnotatedType();
    return new FieldType(
        index,
        field.value(),
        field.name().isEmpty() ? snake(component.getName()) : field.name(),
        kind,
        isRepeated,
        annotated.isAnnotationPresent(Nullable.class),
        kind == FieldType.Kind.MESSAGE ? of(element.asSubclass(Record.class)) : null,
        component.getAccessor());
  }

  private static FieldType.Kind kind(Class<?> type) {
    if (type == String.class) {
      return FieldType.Kind.TEXT;
    } else if (type == int.class || type == Integer.class) {
      return FieldType.Kind.INT;
    } else if (type == long.class) {
      return FieldType.Kind.LONG;
    } else if (type == boolean.class) {
      return FieldType.Kind.FLAG;
    } else if (type == byte[].class) {
      return FieldType.Kind.BYTES;
    } else if (type == Instant.class) {
      return FieldType.Kind.TIME;
    } else if (type == Map.class) {
      return FieldType.Kind.TEXTS;
    }
    return FieldType.Kind.MESSAGE;
  }

  private static String snake(String camel) {
    return HUMP.matcher(camel).replaceAll("_$1").toLowerCase(Locale.ROOT);
  }

  /** In the order of the components. */
  public List<FieldType> fields() {
    return fields;
  }

  /** The field of this name in JSON, in snake or camel case; null if there is none. */
  public @Nullable FieldType named(String name) {
    return named.get(name);
  }

  /** The field of this number; null if there is none. */
  public @Nullable FieldType numbered(int number) {
    return numbered.get(number);
  }

  /** The message with these values, in the order of the components. */
  public T make(@Nullable Object[] values) {
    try {
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("a message cannot be made: " + constructor, e);
    }
  }
}
