package io.holdfast.lease;

import java.util.Objects;

/**
 * The thing a lease is about: its kind ({@code lock}, {@code item}, ...) and its name in that kind.
 */
public record LeaseKey(String kind, String name) {
  public LeaseKey {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(name, "name");
  }
}
