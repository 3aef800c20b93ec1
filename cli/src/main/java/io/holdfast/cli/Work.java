package io.holdfast.cli;

import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What the methods of a command share: a place, and an answer to print. */
final class Work {
  private Work() {}

  /** Something that makes an answer. */
  @FunctionalInterface
  interface Ask {
    Listing of(Capabilities capabilities);
  }

  /** Something that is done. */
  @FunctionalInterface
  interface Change {
    String by(Capabilities capabilities);
  }

  static int list(CommandSpec spec, Place place, Ask ask) {
    try (Capabilities capabilities = place.open()) {
      ask.of(capabilities).print(out(spec), place.isJson());
    }
    return Exit.OK;
  }

  static int show(CommandSpec spec, Place place, Ask ask) {
    try (Capabilities capabilities = place.open()) {
      ask.of(capabilities).printOne(out(spec), place.isJson());
    }
    return Exit.OK;
  }

  /** Prints a sentence about what was done. */
  static int change(CommandSpec spec, Place place, Change change) {
    try (Capabilities capabilities = place.open()) {
      String done = change.by(capabilities);
      if (place.isJson()) {
        Json.print(Json.object().put("done", done), out(spec));
      } else {
        out(spec).println(done);
      }
      out(spec).flush();
    }
    return Exit.OK;
  }

  static PrintWriter out(CommandSpec spec) {
    return spec.commandLine().getOut();
  }

  static ParameterException mistake(CommandSpec spec, String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
