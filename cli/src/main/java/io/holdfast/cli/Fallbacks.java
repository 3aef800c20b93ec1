package io.holdfast.cli;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Options that were not given on the command line: from the environment ({@code --tls-cert} is
 * {@code HOLDFAST_TLS_CERT}), else from a file of {@code name = value} lines ({@code tls-cert}).
 */
final class Fallbacks {
  private final CommandLine line;
  private final Properties file = new Properties();

  private Fallbacks(CommandLine line) {
    this.line = line;
  }

  /** Fills in what is missing; a {@code --config} of the command names the file. */
  static void apply(CommandLine line) {
    Fallbacks fallbacks = new Fallbacks(line);
    fallbacks.apply("--config");
    OptionSpec config = line.getCommandSpec().findOption("--config");
    if (config != null && config.getValue() instanceof Path path) {
      fallbacks.read(path);
    }
    for (OptionSpec option : line.getCommandSpec().options()) {
      fallbacks.apply(option.longestName());
    }
  }

  private void read(Path path) {
    try (Reader reader = Files.newBufferedReader(path)) {
      file.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new ParameterException(line, "--config: cannot read " + path);
    }
    for (String name : file.stringPropertyNames()) {
      if (line.getCommandSpec().findOption("--" + name) == null) {
        throw new ParameterException(line, "--config: there is no option --" + name);
      }
    }
  }

  private void apply(String name) {
    OptionSpec option = line.getCommandSpec().findOption(name);
    if (option == null || option.usageHelp() || line.getParseResult().hasMatchedOption(option)) {
      return;
    }
    String value = value(name.substring(2));
    if (value != null) {
      option.setValue(converted(option, value));
    }
  }

  private @Nullable String value(String name) {
    String given = System.getenv("HOLDFAST_" + name.toUpperCase(Locale.ROOT).replace('-', '_'));
    return given == null || given.isEmpty() ? file.getProperty(name) : given;
  }

  private Object converted(OptionSpec option, String value) {
    try {
      Class<?> type = option.type();
      if (type == int.class) {
        return Integer.parseInt(value);
      }
      if (type == boolean.class) {
        return value.equals("true") || value.equals("1");
      }
      return type == Path.class ? Path.of(value) : value;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, option.longestName() + ": not a number");
    }
  }
}
