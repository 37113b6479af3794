//! Puts the window's configuration and pages into the program.

use std::path::Path;

fn main() {
    let pages = Path::new("ui/dist");
    println!("cargo::rerun-if-changed={}", pages.display());
    if !pages.join("index.html").exists() {
        println!("cargo::error=the window's pages are not built yet: run `make ui`");
        return;
    }
    if let Err(error) = tauri_build::try_build(tauri_build::Attributes::new()) {
        println!("cargo::error={}", format!("{error:#}").replace('\n', " "));
    }
}
