/** One feature, one runnable class. Each takes a database url, or starts an embedded PostgreSQL. */
@NullMarked
package io.holdfast.examples;

import org.jspecify.annotations.NullMarked;
