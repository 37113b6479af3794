//! The official conformance suite, in client mode: exactly the scenarios that
//! a revision of the protocol requires.

use std::path::Path;

use tokio::process::Command;

use crate::parts::{node, parts};

#[tokio::test]
async fn every_scenario_that_2026_07_28_requires_passes() {
    let Some(parts) = parts() else { return };
    assert_eq!(required(&parts, "2026-07-28").await, 32);
}

#[tokio::test]
async fn every_scenario_that_2025_11_25_requires_passes() {
    let Some(parts) = parts() else { return };
    assert_eq!(required(&parts, "2025-11-25").await, 18);
}

/// How many scenarios passed that are required. Those that are not scored run
/// too, and may fail.
async fn required(parts: &Path, revision: &str) -> usize {
    let results = tempfile::tempdir().unwrap();
    let suite = parts.join("node_modules/@modelcontextprotocol/conformance");
    let done = Command::new(node(parts))
        .arg(suite.join("dist/index.js"))
        .args(["client", "--requirements", revision, "--command"])
        .arg(env!("CARGO_BIN_EXE_mcp-conformance-client"))
        .arg("-o")
        .arg(results.path())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout) + String::from_utf8_lossy(&done.stderr);
    let summary = said.split_once("SUITE SUMMARY").map_or(&*said, |(_, summary)| summary);
    assert!(done.status.success(), "{summary}");
    let not_scored = |line: &&str| {
        let name = line.trim_start_matches(['✓', '✗', ' ']).split(':').next().unwrap_or_default();
        summary.contains(&format!("{name} (extension)"))
            || summary.contains(&format!("{name} (added-after-release)"))
    };
    summary.lines().filter(|line| line.starts_with('✓')).filter(|line| !not_scored(line)).count()
}
