package io.holdfast.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The ids of {@code docs/guarantees.md} that a test proves, for example {@code L12} or {@code LF3}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Guarantee {
  /** The ids. */
  String[] value();
}
