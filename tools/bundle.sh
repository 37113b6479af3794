#!/usr/bin/env bash
# Packs what cargo built into a .deb: artifacts/coterie-PROFILE.deb.
#
#   tools/bundle.sh debug|release
#
# tauri.bundle.json says what goes in; the binaries are first laid out where it
# expects them, because cargo's folder may be outside the checkout. The release
# holds a second engine for processors without AVX2.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=$1
target=${CARGO_TARGET_DIR:-$PWD/target}
staged=assets/.work/bundle

main() {
  rm -rf "$staged"
  mkdir -p "$staged/programs" artifacts
  stage_binary "$target/$profile/coterie" "$staged/coterie"
  stage_binary "$target/$profile/coterie-engine" "$staged/programs/coterie-engine"
  stage_binary "$target/$profile/coterie-keeper" "$staged/programs/coterie-keeper"
  local flags=()
  if [[ $profile == release ]]; then
    baseline_engine
    stage_binary "$target/baseline/release/coterie-engine" "$staged/programs/coterie-engine-baseline"
  else
    flags=(--debug)
  fi

  rm -rf "$target/$profile/bundle"
  ui/node_modules/.bin/tauri bundle "${flags[@]}" --bundles deb --config tauri.bundle.json
  local packed=("$target/$profile"/bundle/deb/*.deb)
  cp "${packed[0]}" "artifacts/coterie-$profile.deb"
  du -h "artifacts/coterie-$profile.deb"
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

main
