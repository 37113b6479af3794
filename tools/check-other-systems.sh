#!/usr/bin/env bash
# Checks on Linux that the code for Windows and macOS compiles. It links and runs nothing.
#
#   tools/check-other-systems.sh [windows] [macos]     both without an argument
#
# Each needs the standard library of its system, and Windows what compiles its icon. What is missing is named with what installs it.
# Not a part of `make test`, since that comes from the network.
#
# The engine is left out: llama.cpp is built with CMake for the system it runs on, and with its own compiler.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=()
for package in domain store llm gguf secrets search memory processes mcp tools agent workspace door coterie coterie-desktop; do
  packages+=(-p "$package")
done

# In one place, so that the next check finds what this one made.
standins=$(realpath -m "${CARGO_TARGET_DIR:-target}")/stand-ins

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
  command -v x86_64-w64-mingw32-windres >/dev/null && command -v x86_64-w64-mingw32-gcc >/dev/null ||
    fail "what compiles the icon for Windows is missing. Run: sudo apt-get install gcc-mingw-w64-x86-64"
  with_stand_ins x86_64-pc-windows-gnu
}

macos() {
  need_target aarch64-apple-darwin
  with_stand_ins aarch64-apple-darwin
}

# What dependencies bring in C is not looked at: Apple's headers are on no other system, and compilers for Windows
# differ. A check never links, so empty objects do in its place.
with_stand_ins() {
  local of=${1//-/_}
  mkdir -p "$standins"
  compiler >"$standins/cc"
  archiver >"$standins/ar"
  chmod +x "$standins/cc" "$standins/ar"
  : >"$standins/libjemalloc.a"
  export "CC_$of=$standins/cc" "CXX_$of=$standins/cc" "AR_$of=$standins/ar"
  SDKROOT=$standins JEMALLOC_OVERRIDE=$standins/libjemalloc.a check "$1"
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
