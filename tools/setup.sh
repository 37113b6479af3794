#!/usr/bin/env bash
# Checks that this machine can build Coterie, and installs the system packages it lacks.
#
#   tools/setup.sh build [test] [bench]
#
# One list, one sudo, no questions. On systems without apt it prints what is needed.
set -euo pipefail

build_packages=(build-essential pkg-config cmake libclang-dev libwebkit2gtk-4.1-dev
  libayatana-appindicator3-dev librsvg2-dev libsoup-3.0-dev)
test_packages=(webkit2gtk-driver xvfb dbus-x11 gnome-keyring fonts-noto-cjk appstream desktop-file-utils)
bench_packages=(redis-server)

main() {
  need cargo "Rust 1.95 or newer: https://rustup.rs"
  [[ $(cargo --version) =~ ([0-9]+)\.([0-9]+) ]] && ((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2] >= 1095)) ||
    fail "$(cargo --version) is too old. Install Rust 1.95 or newer: https://rustup.rs, then run the same command again."
  need node "Node.js 20.19 or newer: https://nodejs.org"
  need npm "npm, which comes with Node.js"
  need python3 "Python 3.8 or newer"
  node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major * 100 + +minor < 2019 ? 1 : 0)' ||
    fail "Node.js $(node --version) is too old. Install 20.19 or newer: https://nodejs.org, then run the same command again."

  local packages=()
  for purpose in "$@"; do
    local -n these="${purpose}_packages"
    packages+=("${these[@]}")
  done
  python3 -m pip --version >/dev/null 2>&1 || packages+=(python3-pip)

  if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    install_missing "${packages[@]}"
  else
    check_other_system "${packages[@]}"
  fi
  [[ " $* " != *" test "* ]] || test_tools
}

test_tools() {
  for component in fmt clippy; do
    cargo "$component" --version >/dev/null 2>&1 ||
      fail "cargo $component is missing. Run: rustup component add rustfmt clippy, then run the same command again."
  done
  if ! cargo nextest --version >/dev/null 2>&1; then
    say "installing cargo-nextest, which runs the tests"
    cargo install cargo-nextest --locked
  fi
}

need() {
  command -v "$1" >/dev/null || fail "$1 is missing. Install $2, then run the same command again."
}

install_missing() {
  local missing=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  say "installing system packages: ${missing[*]}"

  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "sudo is missing. As root, run: apt-get install ${missing[*]}"
    as_root=(sudo)
    # Without a terminal nobody can type a password.
    [[ -t 0 && ${CI:-} != true ]] || as_root+=(-n)
  fi
  # An old package list is better than none: only the installation has to work.
  "${as_root[@]}" apt-get -q update || say "the package list could not be refreshed"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}" ||
    fail "the packages could not be installed. Run this yourself, then try again: sudo apt-get install ${missing[*]}"
}

check_other_system() {
  local missing=()
  for command in cc cmake pkg-config; do
    command -v "$command" >/dev/null || missing+=("$command")
  done
  if [[ $(uname) == Linux ]]; then
    for library in webkit2gtk-4.1 ayatana-appindicator3-0.1 librsvg-2.0 libsoup-3.0; do
      pkg-config --exists "$library" 2>/dev/null || missing+=("$library")
    done
  fi
  ((${#missing[@]})) || return 0
  say "this system has no apt-get. Missing: ${missing[*]}"
  fail "Install what your system calls these Debian packages, then run the same command again: $*"
}

say() { echo "setup: $*"; }

fail() {
  say "$*" >&2
  exit 1
}

main "$@"
