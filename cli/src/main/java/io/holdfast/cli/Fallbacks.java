package io.holdfast.cli;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * Options that were not given on the command line: from the environment ({@code --tls-cert} is
 * {@code HOLDFAST_TLS_CERT}), else from a file of {@code name = value} lines ({@code tls-cert}).
 */
final class Fallbacks {
  private static final Set<String> ON = Set.of("true", "1");
  private static final Set<String> OFF = Set.of("false", "0");

  private final CommandLine line;
  private final Map<String, String> environment;
  private final Properties file = new Properties();
  private final Set<String> silenced = new HashSet<>();

  private Fallbacks(CommandLine line, Map<String, String> environment) {
    this.line = line;
    this.environment = environment;
  }

  /**
   * Fills in what is missing; a {@code --config} of the command names the file.
   *
   * @param rivals options that exclude each other: one that is given wins over all of them that
   *     come from a weaker source, instead of meeting them
   */
  static void apply(CommandLine line, Map<String, String> environment, Set<String> rivals) {
    Fallbacks fallbacks = new Fallbacks(line, environment);
    fallbacks.apply("--config");
    OptionSpec config = line.getCommandSpec().findOption("--config");
    if (config != null && config.getValue() instanceof Path path) {
      fallbacks.read(path);
    }
    fallbacks.silence(rivals);
    for (OptionSpec option : line.getCommandSpec().options()) {
      if (!fallbacks.silenced.contains(option.longestName())) {
        fallbacks.apply(option.longestName());
      }
    }
  }

  private void silence(Set<String> rivals) {
    if (rivals.stream().anyMatch(line.getParseResult()::hasMatchedOption)) {
      silenced.addAll(rivals);
    } else if (rivals.stream().anyMatch(name -> isSaid(inEnvironment(name.substring(2))))) {
      rivals.forEach(name -> file.remove(name.substring(2)));
    }
  }

  /** A flag that is off names nothing. */
  private static boolean isSaid(@Nullable String value) {
    return value != null && !OFF.contains(value);
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
    String given = inEnvironment(name);
    return given == null ? file.getProperty(name) : given;
  }

  /** A variable that is empty counts as one that is not there. */
  private @Nullable String inEnvironment(String name) {
    String given = environment.get("HOLDFAST_" + name.toUpperCase(Locale.ROOT).replace('-', '_'));
    return given == null || given.isEmpty() ? null : given;
  }

  private Object converted(OptionSpec option, String value) {
    Class<?> type = option.type();
    if (type == boolean.class) {
      return flag(option, value);
    }
    if (value.isEmpty()) {
      throw new ParameterException(line, option.longestName() + ": a value is missing");
    }
    try {
      if (type == int.class) {
        return Integer.parseInt(value);
      }
      if (type == List.class) {
        return List.of(value.strip().split("\\s*,\\s*"));
      }
      return type == Path.class ? Path.of(value) : value;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(line, option.longestName() + ": not a number");
    }
  }

  /** Its name alone turns it on, as on the command line. */
  private boolean flag(OptionSpec option, String value) {
    if (!value.isEmpty() && !ON.contains(value) && !OFF.contains(value)) {
      throw new ParameterException(line, option.longestName() + ": true or false");
    }
    return !OFF.contains(value);
  }
}
