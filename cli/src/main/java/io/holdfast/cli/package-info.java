/**
 * The command {@code holdfast}: {@link io.holdfast.cli.Main} is the only main of the project. It
 * translates between a shell and the capabilities and holds no rule of theirs. Start at {@code
 * RunCommand}, which is the one with a life of its own.
 */
@NullMarked
package io.holdfast.cli;

import org.jspecify.annotations.NullMarked;
