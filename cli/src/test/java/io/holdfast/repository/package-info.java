/**
 * Rules about the repository as a whole: package arrows, documents that quote code, proven
 * guarantees.
 */
@NullMarked
package io.holdfast.repository;

import org.jspecify.annotations.NullMarked;
