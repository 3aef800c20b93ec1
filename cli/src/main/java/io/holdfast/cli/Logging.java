package io.holdfast.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Sends warnings to standard error, one line each. In code rather than in a file: reading XML would
 * cost every command a tenth of a second. Found by Logback through {@code META-INF/services}.
 */
public final class Logging extends ContextAwareBase implements Configurator {
  /** Made by Logback. */
  public Logging() {}

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    Lines lines = new Lines();
    lines.setContext(context);
    lines.start();
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Problem.isDebugging() ? Level.INFO : Level.WARN);
    root.addAppender(lines);
    if (!Problem.isDebugging()) {
      // Tries to connect that failed are repeated; the last one becomes our own message.
      context.getLogger("io.holdfast.postgres.PooledDatabase").setLevel(Level.ERROR);
      context.getLogger("com.zaxxer.hikari").setLevel(Level.ERROR);
    }
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /**
   * One line per event; a stack trace for defects, which somebody has to find, and in debugging.
   */
  private static final class Lines extends AppenderBase<ILoggingEvent> {
    @Override
    protected void append(ILoggingEvent event) {
      Problem.say(event.getLevel().toString().toLowerCase() + ": " + event.getFormattedMessage());
      boolean isDefect = event.getLevel().isGreaterOrEqual(Level.ERROR);
      if (event.getThrowableProxy() != null && (isDefect || Problem.isDebugging())) {
        System.err.print(ThrowableProxyUtil.asString(event.getThrowableProxy()));
      }
    }
  }
}
