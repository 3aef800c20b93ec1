package io.holdfast.job;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What handlers return, as it is stored. */
final class Outputs {
  private static final Logger LOG = LoggerFactory.getLogger(Outputs.class);

  private Outputs() {}

  /** The output's bytes; null when there is none, or none that can be stored. */
  static byte @Nullable [] encoded(JobCodec codec, String id, @Nullable Object output) {
    if (output == null) {
      return null;
    }
    try {
      byte[] bytes = codec.encode(output);
      if (bytes.length <= JobRules.MAX_OUTPUT) {
        return bytes;
      }
      LOG.warn("the output of job {} has {} bytes and is left out", id, bytes.length);
    } catch (RuntimeException | Error e) { // such as a stack that overflows in a circle
      LOG.warn("the output of job {} cannot be written and is left out", id, e);
    }
    return null;
  }
}
