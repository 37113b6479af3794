#!/usr/bin/env bash
# Packs what cargo built into one file that people install: artifacts/coterie-PROFILE.FORMAT.
#
#   tools/bundle.sh debug|release [deb|appimage|dmg|msi]
#
# tauri.bundle.json says what goes in; the binaries are first laid out where it
# expects them, because cargo's folder may be outside the checkout. The release
# holds a second engine for processors without AVX2. With TAURI_SIGNING_PRIVATE_KEY
# (or …_PATH) the file is signed. docs/packaging.md says which formats are tested.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=$1
format=${2:-deb}
target=${CARGO_TARGET_DIR:-$PWD/target}
staged=assets/.work/bundle
programs=("$staged/programs/coterie-engine" "$staged/programs/coterie-keeper" "$staged/coterie")

main() {
  rm -rf "$staged"
  mkdir -p "$staged/programs" artifacts
  for program in "${programs[@]}"; do
    stage_binary "$target/$profile/${program##*/}" "$program"
  done
  python3 -B tools/licences.py "$staged/licences-of-the-window"
  local flags=()
  if [[ $profile == release ]]; then
    baseline_engine
    stage_binary "$target/baseline/release/coterie-engine" "$staged/programs/coterie-engine-baseline"
  else
    flags=(--debug)
  fi
  [[ $format != deb ]] || flags+=(--config "$(needed_libraries)")

  rm -rf "$target/$profile/bundle"
  ui/node_modules/.bin/tauri bundle "${flags[@]}" --bundles "$format" --config tauri.bundle.json
  local packed=("$target/$profile/bundle/$format"/*."$format") made="artifacts/coterie-$profile.$format"
  cp "${packed[0]}" "$made"
  sign "$made"
  du -h "$made"
}

# Debug symbols would be most of the package, and nobody reads them there.
stage_binary() {
  strip -o "$2" "$1"
}

# llama.cpp without the instructions that .cargo/config.toml turns on.
baseline_engine() {
  GGML_SSE42=OFF GGML_AVX=OFF GGML_AVX2=OFF GGML_FMA=OFF GGML_F16C=OFF GGML_BMI2=OFF \
    cargo build --release -p engine --target-dir "$target/baseline"
}

# What the programs are linked with, as Debian's packages in the versions that they need at least:
# without it the package goes onto a system whose libraries are too old, and does not start there.
needed_libraries() {
  local source needed
  source=$(mktemp -d)
  mkdir "$source/debian"
  echo "Source: coterie" >"$source/debian/control"
  needed=$(cd "$source" && dpkg-shlibdeps -O "$target/$profile/coterie-desktop" "${programs[@]/#/$OLDPWD/}")
  rm -r "$source"
  python3 -c 'import json, sys
depends = sys.argv[1].split("=", 1)[1].split(", ")
print(json.dumps({"bundle": {"linux": {"deb": {"depends": depends}}}}))' "$needed"
}

sign() {
  [[ -n ${TAURI_SIGNING_PRIVATE_KEY:-}${TAURI_SIGNING_PRIVATE_KEY_PATH:-} ]] || return 0
  local version
  version=$(cargo pkgid -p coterie-desktop)
  ui/node_modules/.bin/tauri signer sign --app-version "${version##*[#@]}" "$1"
}

main
