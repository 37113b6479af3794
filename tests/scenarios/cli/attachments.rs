//! Files shown from a terminal, and models that are files.

use super::terminal::terminal;
use serde_json::json;
use std::fs;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";

#[test]
fn files_are_shown_with_a_message_or_in_its_place() {
    let terminal = terminal().answering("I see.");
    fs::write(terminal.path("cat.png"), PNG).unwrap();
    fs::write(terminal.path("tea.txt"), "茶\n").unwrap();
    let words = ["--json", "say", "Ada", "What is this?", "--attach", "cat.png", "tea.txt"];
    let said = terminal.run(&words).data();
    let shown = said["message"]["attachments"].as_array().unwrap();
    let told = shown.iter().map(|one| json!([one["name"], one["kind"], one["bytes"]]));
    let told: Vec<_> = told.collect();
    assert_eq!(told, [json!(["cat.png", "png", PNG.len()]), json!(["tea.txt", "text", 4])]);
    terminal.run(&["say", "Ada", "--attach", "cat.png"]).done();
    let log = terminal.run(&["group", "log", "Ada"]);
    assert!(log.stdout.contains("What is this?\n"), "{}", log.stdout);
    assert_eq!(log.stdout.matches("[picture: cat.png]").count(), 2, "{}", log.stdout);
    assert!(log.stdout.contains("[file: tea.txt]"), "{}", log.stdout);
    let run = terminal.run(&["--json", "run", "list"]).data()[0]["id"].clone();
    let prompt = terminal.run(&["run", "show", run.as_str().unwrap(), "--prompt"]);
    assert!(prompt.stdout.contains("(image/png, 32 bytes of base64)"), "{}", prompt.stdout);

    let fault = terminal.run(&["--json", "say", "Ada", "--attach", "dog.png"]).fault(3);
    assert!(fault["message"].as_str().unwrap().starts_with("read dog.png: "), "{fault}");
    fs::write(terminal.path("a.zip"), b"PK\0").unwrap();
    let fault = terminal.run(&["--json", "say", "Ada", "Read.", "--attach", "a.zip"]).fault(2);
    let message =
        "the file a.zip is neither a picture (PNG, JPEG, GIF, WebP), a PDF nor a text file";
    assert_eq!(fault["message"], message);
    terminal.run(&["say", "Ada"]).failed(2);
    let messages = terminal.run(&["--json", "group", "log", "Ada"]).data();
    assert_eq!(messages.as_array().unwrap().len(), 4, "what was refused was not posted");
}

#[test]
fn answers_that_are_kept_are_turned_off_and_forgotten() {
    let terminal = terminal();
    let run = |words: &[&str]| terminal.run(&[&["--json", "model", "cache"], words].concat());
    assert_eq!(run(&["show"]).data(), json!({ "on": true, "sampled": false }));
    assert_eq!(run(&["off"]).data(), json!({ "on": false, "sampled": false }));
    assert_eq!(run(&["on", "--sampled"]).data(), json!({ "on": true, "sampled": true }));
    assert_eq!(run(&["forget"]).data(), json!(0));
}

#[test]
fn a_file_that_is_no_model_is_not_put_on_the_list() {
    let terminal = terminal();
    fs::write(terminal.path("page.gguf"), "<!DOCTYPE html>").unwrap();
    let fault = terminal.run(&["--json", "model", "add", "page.gguf"]).fault(2);
    let path = terminal.path("page.gguf");
    assert_eq!(fault["message"], format!("{path} is no GGUF file"));
    let files = terminal.run(&["--json", "model", "files"]).data();
    assert_eq!(files, json!({ "models": [], "gpu": false }));
    let shown = terminal.run(&["model", "files"]);
    let gpu = "the engine cannot use a graphics processor in this build";
    assert!(shown.stdout.contains(gpu), "{}", shown.stdout);
}
