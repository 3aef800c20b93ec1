# Sourced by ../holdfast and ../verify: finds the tools they need, or installs them where it may.
# Speaks on standard error only.

say() { printf 'holdfast: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

# install_package PACKAGE...: from the distribution, as root; false where that cannot be done.
install_package() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  say "installing $* (apt-get, log in target/install.log)"
  mkdir -p "$root/target"
  # RUNLEVEL=1: a package that brings a service must not start it.
  {
    apt-get -o DPkg::Lock::Timeout=120 update &&
      RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive \
        apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@"
  } </dev/null >>"$root/target/install.log" 2>&1
}

java_major() {
  local first
  first=$("$1" -version 2>&1 </dev/null | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1) || first=
  echo "${first:-0}"
}

# Sets java, the program, to one of version 17 or later.
find_java() {
  java=${JAVA_HOME:+$JAVA_HOME/bin/}java
  command -v "$java" >/dev/null && [ "$(java_major "$java")" -ge 17 ]
}

# Sets java, and jdk to the home of a JDK 17 or later with a compiler.
require_jdk() {
  if ! find_java || ! [ -x "$(java_home)/bin/javac" ]; then
    [ -z "${JAVA_HOME:-}" ] ||
      fail "JAVA_HOME=$JAVA_HOME is not a JDK 17 or later; correct it or unset it"
    install_package openjdk-17-jdk-headless || install_package default-jdk-headless ||
      fail "a JDK 17 or later is needed; install one, such as openjdk-17-jdk-headless"
    find_java || fail "the installed java is older than 17; set JAVA_HOME to a JDK 17 or later"
  fi
  jdk=$(java_home)
}

java_home() { dirname -- "$(dirname -- "$(readlink -f -- "$(command -v "$java")")")"; }

require_maven() {
  command -v mvn >/dev/null || install_package maven || fail "Maven is needed; install it"
}
