//! Answers as models give them.

use super::*;
use proptest::prelude::*;
use proptest::sample::select;

fn check(answer: &str, text: Option<&str>, sign: Option<&str>) {
    let expected = Written { text: text.map(Into::into), sign: sign.map(Into::into) };
    assert_eq!(read(answer), Some(expected), "{answer}");
}

#[test]
fn a_comment_is_read_however_it_is_packed() {
    check("I like it.", Some("I like it."), None);
    check(r#"{"text": "I like it."}"#, Some("I like it."), None);
    check("```json\n{\"comment\": \"I like it.\"}\n```", Some("I like it."), None);
    check("```\nI like it.\n```", Some("I like it."), None);
    check("\"I like it.\"", Some("I like it."), None);
    check(
        "Sure! Here it is:\n\n{\"reply\": \"I like it, and here is why it may work.\", }",
        Some("I like it, and here is why it may work."),
        None,
    );
    check("{'text': 'I like it.', 'reaction': '👍'}", Some("I like it."), Some("👍"));
    check(r#"{"comment": {"text": "I like it."}}"#, Some("I like it."), None);
    check(r#"{"title": "Tea", "text": "Hot."}"#, Some("**Tea**\n\nHot."), None);
    check("{\"text\": \"I like it, becau", Some("I like it, becau"), None);
    check("```json\n{\"text\": \"One\\nTwo\\", Some("One\nTwo"), None);
    check("{“text”: “好的，我来看。”}", Some("好的，我来看。"), None);
}

#[test]
fn words_are_taken_out_of_an_object_that_is_the_smaller_part() {
    let tail = "and then a very very long tail that goes on and on and says nothing of weight";
    for answer in [
        "Sure, here is my comment as JSON:\n{\"comment\": \"tiny\"}\nLet me know if you want it longer!",
        "Sure, here is my comment as JSON:\n```json\n{\"comment\": \"tiny\"}\n```\nLet me know if you want it longer!",
        &format!("Here: {{\"text\": \"tiny\"}} {tail}"),
        &format!("Here: `{{\"text\": \"tiny\"}}` {tail}"),
        &format!("{tail} {{text: 'tiny'}}"),
        "{\"verdict\": 1}\n{\"text\": \"tiny\"}",
        "[{\"text\": \"tiny\"}, {\"text\": \"more\"}]",
        "<tool_call>{\"name\": \"comment\", \"arguments\": {\"to\": 3, \"text\": \"tiny\"}}</tool_call>",
        "<tool_call>\n{\"name\": \"comment\", \"arguments\": \"{\\\"text\\\": \\\"tiny\\\"}\"}\n</tool_call>",
        "\"text\": \"tiny\"}",
        "Sure: \"text\": \"tiny\"}",
        "{\\\"text\\\": \\\"tiny\\\"}",
        "\"{\\\"text\\\": \\\"tiny\\\"}\"",
        "{\"text\": \"{\\\"comment\\\": \\\"tiny\\\"}\"}",
        "```python\n{\"text\": \"tiny\"}\n```",
    ] {
        check(answer, Some("tiny"), None);
    }
    check("{ \"text\": \"multi\nline\", \"reaction\": \"👍\"", Some("multi\nline"), Some("👍"));
    check("I like it. {\"reaction\": \"👍\"}", Some("I like it."), Some("👍"));
    check("My reaction: {\"reaction\": \"👍\"}", None, Some("👍"));
}

#[test]
fn silence_and_a_sign_alone_are_read_too() {
    check("[pass]", None, None);
    check("[pass] Nothing to do.", None, None);
    check("Nothing to do. ［pass］", None, None);
    check(r#"{"text": "[pass] Nothing to do."}"#, None, None);
    check(r#"{"text": ""}"#, None, None);
    check(r#"{"react": "👏"}"#, None, Some("👏"));
    check(r#"{"text": null, "react": "👏"}"#, None, Some("👏"));
}

#[test]
fn words_that_speak_of_json_stay_words() {
    for words in [
        "Try this:\n\n```json\n{\"port\": 1}\n```\n\nand tell me whether the server takes it, because mine did not.",
        "I would set `{\"port\": 8080}` and look whether the server starts.",
        "在配置里写上 `{\"port\": 8080}` 然后再启动一次服务器看看。",
        "[1] is the only source.",
        "[laughs]",
        "[laughs and nods]",
        "I took [the train](https://example.org), see [1], [2] and [3, 4].",
        "The set {a, b} is smaller than {x} and {}.",
        "She said \"tea\": it was coffee.",
        "```rust\nfn main() {}\n```",
        "Look:\n```js\nconst it = {\"text\": \"x\"};\n```",
    ] {
        check(words, Some(words), None);
    }
}

#[test]
fn what_cannot_be_shown_is_nothing() {
    for answer in [
        "{\"verdict\": 3}",
        "{\"a\": {\"b\": [1, 2",
        "[{\"x\": 1}]",
        "{\"text\": 12}",
        "```json\n{}\n```",
        "My answer: {\"verdict\": \"none\", \"score\": 3}",
        "My answer, which I have thought about for long, is this: {\"verdict\": \"none\", \"score\": 3}",
        "Here is my answer, as you wanted it, in JSON:\n```json\n{\"verdict\": \"none\"}\n```",
        "My tags are these few: [\"a\", \"b\"]",
        "\"verdict\": \"none\", \"score\": 3}",
        "[1, 2, 3]",
        "[]",
        "{}",
        "<tool_call>{\"name\":\"comment\",…}</tool_call>",
        "<tool_call>comment(12)</tool_call>",
    ] {
        assert_eq!(read(answer), None, "{answer}");
    }
}

/// A name in quotes before a value, or one of the names that answers have.
fn shows_json(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    text.contains("{\"") || WORDS.iter().any(|name| text.contains(&format!("\"{name}\":\"")))
}

proptest! {
    #[test]
    fn nobody_is_ever_shown_an_object(answer in "(\\{|\\[|```json\n|\"|a|: |,|\\}|\\]|text|\"text\": |comment|\\\\|\n|。){0,24}") {
        if let Some(Written { text: Some(text), .. }) = read(&answer) {
            prop_assert!(!text.trim_start().starts_with("{\""), "{answer:?} gives {text:?}");
        }
    }

    #[test]
    fn nobody_is_shown_an_object_among_words(pieces in prop::collection::vec(select(vec![
        "Sure, here is my comment as JSON:", "I think that it may work, since it did before.",
        "好的，这是我的回答：", "Let me know!", "[1] says so.", "see [the page](https://example.org)",
        "{\"comment\": \"tiny\"}", "{\"text\": \"It holds.\", \"reaction\": \"👍\"}",
        "{'reply': 'It holds.'}", "{\"verdict\": \"none\", \"score\": 3}", "{\"a\": [1, {\"b\": 2}]}",
        "{ \"text\": \"multi line\", \"reaction\": \"👍\"", "\"text\": \"x\"}", "[1, 2, 3]", "[]",
        "[{\"text\": \"x\"}]", "[\"a\", \"b\"]", "{\"text\": \"{\\\"text\\\": \\\"x\\\"}\"}",
        "<tool_call>{\"name\": \"comment\", \"arguments\": {\"text\": \"x\"}}</tool_call>",
    ]), 0..6), between in select(vec![" ", "\n", "\n\n", ""])) {
        let answer = pieces.join(between);
        if let Some(Written { text: Some(text), .. }) = read(&answer) {
            prop_assert!(!shows_json(&text), "{answer:?} gives {text:?}");
            prop_assert!(!text.contains("<tool_call"), "{answer:?} gives {text:?}");
        }
        // Words alone are never lost.
        if !answer.is_empty() && pieces.iter().all(|piece| !piece.contains(['{', '"', '<']) && !piece.starts_with("[")) {
            prop_assert_eq!(read(&answer), Some(Written { text: Some(answer.trim().to_owned()), sign: None }));
        }
    }
}
