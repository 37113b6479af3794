#!/usr/bin/env bash
# Checks on Linux that the code for Windows and macOS compiles. It links and runs nothing.
#
#   tools/check-other-systems.sh [windows] [macos]     both without an argument
#
# Each needs the standard library of its system, and Windows a compiler for what dependencies bring in C.
# What is missing is named with what installs it. Not a part of `make test`, since that comes from the network.
#
# The engine is left out: llama.cpp is built with CMake for the system it runs on, and with its own compiler.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=()
for package in domain store llm gguf secrets search memory processes mcp tools agent workspace door coterie coterie-desktop; do
  packages+=(-p "$package")
done

main() {
  (($#)) || set -- windows macos
  for system in "$@"; do
    case $system in
      windows) windows ;;
      macos) macos ;;
      *) fail "no system is called $system. Choose windows, macos or both." ;;
    esac
  done
}

windows() {
  need_target x86_64-pc-windows-gnu
  command -v x86_64-w64-mingw32-gcc >/dev/null && command -v x86_64-w64-mingw32-g++ >/dev/null ||
    fail "the compiler for Windows is missing. Run: sudo apt-get install gcc-mingw-w64-x86-64 g++-mingw-w64-x86-64"
  # What gcc 12 makes of these instructions for Windows is refused by its own assembler. Nothing of it is linked here.
  NK_TARGET_SAPPHIREAMX=0 NK_TARGET_GRANITEAMX=0 check x86_64-pc-windows-gnu
}

# Without Apple's headers nothing in C compiles. A check never links, so empty objects do in its place.
macos() {
  need_target aarch64-apple-darwin
  standin=$(mktemp -d)
  trap 'rm -rf "$standin"' EXIT
  compiler >"$standin/cc"
  archiver >"$standin/ar"
  chmod +x "$standin/cc" "$standin/ar"
  CC_aarch64_apple_darwin=$standin/cc CXX_aarch64_apple_darwin=$standin/cc AR_aarch64_apple_darwin=$standin/ar \
    SDKROOT=$standin JEMALLOC_OVERRIDE=$standin/cc check aarch64-apple-darwin
}

compiler() {
  cat <<'CC'
#!/usr/bin/env bash
# Makes every file that a compiler is asked for, with nothing in it.
while (($#)); do
  case $1 in
    -o) shift && : >"$1" ;;
    -E) printf '#define __clang__ 1\nclang\n' ;;
    --version | -v) echo "Apple clang version 17.0.0" ;;
  esac
  shift
done
CC
}

archiver() {
  cat <<'AR'
#!/usr/bin/env bash
# The same for an archive, which is the first name that ends so.
for name; do
  case $name in *.a) : >"$name" && exit ;; esac
done
AR
}

check() {
  echo "== $1"
  cargo clippy --target "$1" "${packages[@]}" --lib --bins -- -D warnings
  cargo check --target "$1" -p processes -p door -p secrets --tests
}

need_target() {
  local installed
  installed=$(rustc --print target-libdir --target "$1" 2>/dev/null) && [[ -d $installed ]] ||
    fail "Rust's standard library for $1 is missing. Run: rustup target add $1"
}

fail() {
  echo "check-other-systems: $*" >&2
  exit 1
}

main "$@"
