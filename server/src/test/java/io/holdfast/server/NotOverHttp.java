package io.holdfast.server;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Tests of a suite that make no sense over HTTP, and why. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NotOverHttp.Condition.class)
public @interface NotOverHttp {
  /** Names of test methods. */
  String[] value();

  /** Why they stay in one process. */
  String because();

  /** Leaves them out. */
  final class Condition implements ExecutionCondition {
    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
      NotOverHttp but = context.getRequiredTestClass().getAnnotation(NotOverHttp.class);
      boolean isOut =
          but != null
              && context
                  .getTestMethod()
                  .map(method -> Arrays.asList(but.value()).contains(method.getName()))
                  .orElse(false);
      return isOut
          ? ConditionEvaluationResult.disabled(but.because())
          : ConditionEvaluationResult.enabled("makes sense over HTTP");
    }
  }
}
