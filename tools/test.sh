#!/usr/bin/env bash
# The stages of `make test`, cheapest first. Stops at the first that fails; the time of each stands at the end.
#
#   tools/test.sh          everything
#   tools/test.sh lint     only formatting and lints
#
# Every cargo call names the same packages and targets: another choice could turn on
# other features of a dependency, and compile it a second time.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=()
for package in domain store llm gguf engine secrets search memory processes mcp tools agent workspace door coterie coterie-desktop tests; do
  packages+=(-p "$package")
done
targets=(--lib --bins --tests)
times=()

main() {
  mkdir -p artifacts
  stage "tools" python3 -B -m unittest discover -s tools
  stage "rust format" cargo fmt --all --check
  stage "ui checks" npm --prefix ui run check
  stage "clippy" cargo clippy "${packages[@]}" "${targets[@]}" -- -D warnings
  [[ ${1:-} == lint ]] && return

  stage "ui tests" npm --prefix ui run test
  stage "compile" cargo build "${packages[@]}" "${targets[@]}"
  stage "rust tests" cargo nextest run "${packages[@]}" -E 'not binary(desktop)'
  stage "bundle" tools/bundle.sh debug
  stage "desktop" env COTERIE_DEB="$PWD/artifacts/coterie-debug.deb" \
    cargo nextest run "${packages[@]}" -E 'binary(desktop)'
}

stage() {
  current=$1 started=$SECONDS
  shift
  printf '\n== %s\n' "$current"
  "$@"
  times+=("$(printf '%-14s %5d s' "$current" $((SECONDS - started)))")
  current=
}

report() {
  printf '\n'
  ((${#times[@]} == 0)) || printf '   %s\n' "${times[@]}"
  [[ -z $current ]] || printf '   %-14s %5d s   FAILED (screenshots and logs: artifacts/)\n' "$current" $((SECONDS - started))
  printf '   %-14s %5d s\n' total $SECONDS
}

current="start" started=0
trap report EXIT
main "$@"
