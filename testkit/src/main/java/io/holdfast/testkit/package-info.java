/**
 * What tests of Holdfast and of its stores are made of: contract suites, a manual clock and
 * components that fail on demand. A store proves itself by extending each contract in one line.
 */
@NullMarked
package io.holdfast.testkit;

import org.jspecify.annotations.NullMarked;
