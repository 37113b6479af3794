//! The model that ships, with the engine that runs it and no network.

use super::terminal::{Terminal, terminal};
use std::path::PathBuf;

/// What the checkout has, or `COTERIE_ASSETS`; `None` where there is no model in it.
#[expect(clippy::print_stderr, reason = "whoever runs it should know what was left out")]
fn assets() -> Option<PathBuf> {
    let named = tests::mcp_server::variable("COTERIE_ASSETS").map(PathBuf::from);
    let checkout = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../assets"));
    let assets = named.clone().unwrap_or(checkout);
    let is_there = assets.join("models/SmolLM2-135M-Instruct.Q4_1.gguf").exists();
    assert!(is_there || named.is_none(), "COTERIE_ASSETS is set, and has no starter model");
    if !is_there {
        eprintln!("SKIPPED for want of assets: no starter model in {}", assets.display());
    }
    is_there.then_some(assets)
}

/// Everybody answers the same to the same.
fn without_chance(terminal: &Terminal) {
    for entry in std::fs::read_dir(terminal.data().join("souls")).expect("it was made") {
        let path = entry.expect("a file").path();
        let soul = std::fs::read_to_string(&path).expect("a soul");
        let cold = soul.lines().map(|line| match line.starts_with("temperature:") {
            true => "temperature: 0.0\n".to_owned(),
            false => format!("{line}\n"),
        });
        std::fs::write(&path, cold.collect::<String>()).expect("it is ours");
    }
}

#[test]
fn agents_answer_the_feed_in_persona_without_gaps_with_the_model_that_ships() {
    let Some(assets) = assets() else { return };
    let terminal = terminal().knowing("COTERIE_ASSETS", &assets.display().to_string());
    terminal.run(&["agent", "list"]).done();
    without_chance(&terminal);
    for text in [
        "How do I decide between two job offers?",
        "What would you plant in the shade?",
        "Write a letter to my landlord about the broken heating.",
        "Is a plan with three risks any good?",
        "阳台上种什么好？",
    ] {
        assert_eq!(terminal.run(&["feed", "post", text]).status, 0);
    }
    let ticked = terminal.run(&["tick", "--wait", "240"]);
    assert_eq!(ticked.status, 0, "{}", ticked.stderr);
    let posts = terminal.run(&["--json", "feed", "list"]).data();
    let mut comments = Vec::new();
    for post in posts.as_array().unwrap() {
        let seq = post["item"]["message"]["seq"].to_string();
        let thread = terminal.run(&["--json", "feed", "show", &seq]).data();
        let is_english = post["item"]["message"]["body"]["text"].as_str().unwrap().is_ascii();
        let said = thread["comments"].as_array().unwrap();
        assert!(is_english || said.is_empty(), "it knows no Chinese: {said:?}");
        comments.extend(said.iter().map(|one| one["message"]["body"].clone()));
    }
    assert!(comments.len() >= 2, "somebody answers: {comments:?}");
    for comment in &comments {
        let text = comment["text"].as_str().unwrap();
        let small = text.to_lowercase();
        assert_eq!(comment["cut_short"], false, "{text}");
        for residue in ["[", "{", "<|", "ai assistant", "language model", "as an ai"] {
            assert!(!small.contains(residue), "{residue}: {text}");
        }
    }
}
