package io.holdfast.client.stream;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.type.LogicalType;
import java.io.IOException;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * How the streams' wire is read and written. Text is text: numbers are not taken for it. Payloads
 * are cut out of a document as they stand there.
 */
public final class StreamJson {
  /** Of a payload; the document around it has a few levels more. */
  private static final int MAX_DEPTH = 64 + 8;

  private static final int LONGEST_TEXT = 100_000_000;
  private static final String DOCUMENT = "document";

  static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(LONGEST_TEXT)
                  .build())
          .streamWriteConstraints(StreamWriteConstraints.defaults())
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .build();

  private static final JsonMapper MAPPER = mapper();

  private StreamJson() {}

  private static JsonMapper mapper() {
    SimpleModule raw = new SimpleModule();
    raw.addSerializer(RawJson.class, new RawWriter());
    raw.addDeserializer(RawJson.class, new RawReader());
    ExactTypes.addTo(raw);
    JsonMapper.Builder builder =
        JsonMapper.builder(FACTORY)
            .addModule(raw)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .withCoercionConfig(
                LogicalType.Textual,
                text -> {
                  text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail);
                  text.setCoercion(CoercionInputShape.Float, CoercionAction.Fail);
                  text.setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
                });
    return builder.build();
  }

  /** What is wrong with a document; says where, and never what stands there. */
  public static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    Malformed(String message) {
      super(message);
    }
  }

  /** Reads a document. */
  public static <T> T read(byte[] document, Class<T> type) throws Malformed {
    byte[] plain = withoutMark(document);
    try {
      T value = MAPPER.readerFor(type).withAttribute(DOCUMENT, plain).readValue(plain);
      if (value == null) {
        throw new Malformed("the body must not be null");
      }
      return value;
    } catch (JsonMappingException e) {
      throw new Malformed(
          e.getCause() instanceof StreamReadException
              ? "the body is not JSON"
              : e.getPath().isEmpty() ? "the body has the wrong shape" : at(e));
    } catch (JsonProcessingException e) {
      throw new Malformed("the body is not JSON");
    } catch (IOException e) {
      throw new Malformed("the body cannot be read");
    }
  }

  /** Reads the value of an exact call. */
  static <T> ExactWire.Value<T> readValue(byte[] document, Type type) throws Malformed {
    try {
      JavaType value =
          MAPPER
              .getTypeFactory()
              .constructParametricType(
                  ExactWire.Value.class, MAPPER.getTypeFactory().constructType(type));
      return MAPPER.readerFor(value).readValue(document);
    } catch (IOException e) {
      throw new Malformed(e.getClass().getSimpleName() + " " + e.getMessage());
    }
  }

  private static String at(JsonMappingException e) {
    String path =
        e.getPath().stream()
            .map(
                step ->
                    step.getFieldName() == null
                        ? "[" + step.getIndex() + "]"
                        : "." + step.getFieldName())
            .collect(Collectors.joining());
    return (path.startsWith(".") ? path.substring(1) : path) + " has the wrong type or shape";
  }

  /** Without the mark that says that it is UTF-8. */
  private static byte[] withoutMark(byte[] document) {
    boolean isMarked =
        document.length >= 3
            && document[0] == (byte) 0xEF
            && document[1] == (byte) 0xBB
            && document[2] == (byte) 0xBF;
    return isMarked ? Arrays.copyOfRange(document, 3, document.length) : document;
  }

  /** Writes a document; what is made of our records can always be written. */
  public static byte[] write(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a record that is no JSON", e);
    }
  }

  private static final class RawWriter extends JsonSerializer<RawJson> {
    @Override
    public void serialize(RawJson value, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      out.writeRawValue(value.text());
    }
  }

  private static final class RawReader extends JsonDeserializer<RawJson> {
    @Override
    public RawJson deserialize(JsonParser in, DeserializationContext context) throws IOException {
      byte[] document = (byte[]) context.getAttribute(DOCUMENT);
      long from = in.currentTokenLocation().getByteOffset();
      in.skipChildren();
      in.finishToken();
      long to = in.currentLocation().getByteOffset();
      RawJson value = from < 0 || to < from ? null : RawJson.slice(document, from, to);
      return value == null
          ? context.reportInputMismatch(RawJson.class, "the document is not UTF-8")
          : value;
    }

    @Override
    public RawJson getNullValue(DeserializationContext context) {
      return RawJson.NULL;
    }
  }
}
