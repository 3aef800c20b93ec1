/** Tests of the command line: real JVMs, real commands, real signals, a real server. */
@NullMarked
package io.holdfast.cli;

import org.jspecify.annotations.NullMarked;
