package io.holdfast.client.proto;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Where a component of a message is on the wire. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Field {
  /** From here on a field is an extension: only who asks for extensions gets it. */
  int FIRST_EXTENSION = 100;

  /** Its number in protobuf. */
  int value();

  /** Its name in JSON; empty for the component's name in snake case. */
  String name() default "";
}
