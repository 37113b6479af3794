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
    let asked = "Let me think step by step. The user asks about shade, and I should be brief as the rules say. \
        Final output in the requested format:\n\n```json\n{\"text\": \"tiny\", \"reaction\": \"👍\"}\n```";
    check(asked, Some("tiny"), Some("👍"));
    check("[{\"text\": \"tiny\"}, {\"text\": \"more\"}]", Some("tiny\n\nmore"), None);
    check("{\"text\": \"tiny\"}\n{\"text\": \"more\"}", Some("tiny\n\nmore"), None);
    check("{\"回复\": \"用蕨类。\"}", Some("用蕨类。"), None);
    for broken in ["\"rea", "\"reaction", "\"", "\"reaction\"", "\"mood"] {
        check(&format!("{{\"text\": \"tiny\", {broken}"), Some("tiny"), None);
        check(&format!("```json\n{{\"text\": \"tiny\",{broken}\n```"), Some("tiny"), None);
    }
    check("{ \"text\": \"multi\nline\", \"reaction\": \"👍\"", Some("multi\nline"), Some("👍"));
    check("I like it. {\"reaction\": \"👍\"}", Some("I like it."), Some("👍"));
    check("My reaction: {\"reaction\": \"👍\"}", None, Some("👍"));
}

#[test]
fn data_in_the_middle_of_a_sentence_is_part_of_it() {
    for words in [
        r#"In Rust you would write vec!["fern", "hosta"] and iterate over it; in Python a plain list is enough."#,
        r#"You can set {"shade": true} in the config file and then restart the whole server to see it."#,
        r#"In Python, write plants = ["fern", "hosta"] and loop over it; nothing more is needed for the shade bed."#,
        r#"The song ["Fern"] is from 1990, and I like it as much as I did back then."#,
    ] {
        // An object that nobody gave as words may be a broken answer.
        if !words.contains('{') {
            check(words, Some(words), None);
        }
        let packed = serde_json::json!({ "text": words }).to_string();
        check(&packed, Some(words), None);
    }
    for answer in [
        r#"I think that I would rather say nothing about it here {"text": null} and wait for others."#,
        r#"My answer to all of you who wrote so much: {"shade": true} as it was asked of me."#,
    ] {
        assert_eq!(read(answer).and_then(|written| written.text), None, "{answer}");
    }
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
fn a_form_that_holds_nothing_is_silence() {
    for answer in [
        "null",
        "NULL",
        "None",
        "undefined",
        "true",
        "false",
        "\"null\"",
        "PASS",
        "pass.",
        "\"PASS\"",
        "(pass)",
        "<pass>",
        "<pass/>",
        "[]",
        "{}",
        "[ ]",
        "{ }",
        "{",
        "\"",
        "...",
        "",
        "  ",
        "<comment>",
        "<comment></comment>",
        "<comment>\n\n</comment>",
        "<reply/>",
        "<no_comment/>",
        "```\n```",
        "```json\n```",
        "```json\n\n```\n",
        "``````",
        "```json```",
        "```json\n{}\n```",
        "```json\nnull\n```",
        r#"{"text": null}"#,
        r#"{"text": null, "comment": null}"#,
        r#"{"text": null, "why": "nothing to add"}"#,
        r#"{"text": []}"#,
        r#"{"text": [null]}"#,
        r#"{"text": "null"}"#,
        r#"{"text": "PASS"}"#,
        r#"{"message": {"content": null}}"#,
        r#"{"text": ""}"#,
        r#"{"text": {"text": null}}"#,
        r#"[""]"#,
        "{'text': None}",
    ] {
        check(answer, None, None);
    }
    // These may be answers.
    for answer in
        ["True.", "None of them.", "Pass me the salt.", "?", "👍", "42", "<3", "null and void"]
    {
        check(answer, Some(answer), None);
    }
}

#[test]
fn words_are_found_in_whatever_field_they_stand() {
    for answer in [
        r#"{"text": ["One.", "Two."]}"#,
        r#"{"text": ["One.", null, "Two."]}"#,
        r#"{"text": null, "reply": "One.\n\nTwo."}"#,
        r#"{"reply": "", "content": "One.\n\nTwo."}"#,
        r#"{"text": 3, "comment": "One.\n\nTwo."}"#,
        r#"{"output": "One.\n\nTwo."}"#,
        r#"{"response": "One.\n\nTwo."}"#,
        r#"{"response": {"text": "One.\n\nTwo."}}"#,
        r#"{"final_answer": "One.\n\nTwo."}"#,
        r#"{comment_text: "One.\n\nTwo."}"#,
        r#"{"action": "comment", "params": {"text": "One.\n\nTwo."}}"#,
        r#"{"output": {"comment": ["One.", "Two."]}}"#,
        r#"{"message": {"content": "One.\n\nTwo."}}"#,
        r#"{"message": {"role": "assistant", "content": "One.\n\nTwo."}}"#,
        r#"{"choices": [{"message": {"content": "One.\n\nTwo."}}]}"#,
        r#"{"content": [{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]}"#,
        r#"["One.", "Two."]"#,
        r#"{"text": ["One.", "Two."], "#,
        r#"{"text": ["One.", "Two"#,
        "<comment>One.\n\nTwo.</comment>",
        "<comment>\nOne.\n\nTwo.\n",
        "Here is my comment:\n<comment>One.\n\nTwo.</comment>",
        "<answer>{\"text\": [\"One.\", \"Two.\"]}</answer>",
    ] {
        let end = if answer.ends_with("\"Two") { "Two" } else { "Two." };
        check(answer, Some(&format!("One.\n\n{end}")), None);
    }
    let both = r#"{"text": {"text": "Yes.", "reaction": "👏"}}"#;
    check(both, Some("Yes."), Some("👏"));
}

#[test]
fn quotes_that_nothing_marks_are_part_of_the_words() {
    let said = "She said \"tea\", and left.";
    for answer in [
        format!("{{\"text\": \"{said}\"}}"),
        format!("{{\"text\": \"{said}\", \"mood\": \"calm\"}}"),
        format!("{{\"mood\": \"calm\", \"text\": \"{said}\"}}"),
        format!("{{\n  \"comment\": \"{said}\"\n}}\n"),
        format!("```json\n{{\"text\": \"{said}\"}}\n```"),
        format!("Sure: {{\"text\": \"{said}\"}} Let me know!"),
        format!("{{\"message\": {{\"content\": \"{said}\"}}}}"),
        format!("{{\"text\": [\"{said}\"]}}"),
        format!("{{“text”: “{said}”}}"),
        format!("{{\"text\": \"{said}"),
        format!("\"text\": \"{said}\"}}"),
    ] {
        check(&answer, Some(said), None);
    }
    check(
        "{\"title\": \"Tea\", \"text\": \"A \"cup\" of it\", \"reaction\": \"👍\"}",
        Some("**Tea**\n\nA \"cup\" of it"),
        Some("👍"),
    );
    check("{\"text\": \"\"Tea\" he said\"}", Some("\"Tea\" he said"), None);
    check("{\"text\": \"He said \"tea\"\"}", Some("He said \"tea\""), None);
    check(
        "{\"text\": \"One \"a\"\nTwo \\u5b57\\n\"b\" three\"}",
        Some("One \"a\"\nTwo 字\n\"b\" three"),
        None,
    );
    check("[\"First \"x\" here\", \"Second\"]", Some("First \"x\" here\n\nSecond"), None);
}

#[test]
fn words_that_speak_of_json_stay_words() {
    for words in [
        "Try this:\n\n```json\n{\"port\": 1}\n```\n\nand tell me whether the server takes it, because mine did not.",
        "I would set `{\"port\": 8080}` and look whether the server starts.",
        "在配置里写上 `{\"port\": 8080}` 然后再启动一次服务器看看。",
        "A minimal package.json for a small server looks like this:\n```json\n{\"name\": \"demo\", \"version\": \"1.0.0\"}\n```\nThen run npm install and you are ready to go.",
        "Here is the JSON you asked for:\n\n```json\n{\"port\": 80, \"host\": \"localhost\"}\n```\n\nPut it into config.json and restart the server. That is all you need to do.",
        "The server answers with this response:\n```json\n{\"ok\": true}\n```\nand closes the connection as soon as it was read.",
        "用这个 JSON：\n```json\n{\"port\": 80}\n```\n放进配置文件里，然后重启服务器就可以了。",
        "Yes. A call to the API returns this object:\n```json\n{\"id\": 7, \"text\": \"hello\"}\n```\nso read the field text of it and show that to the person.",
        "Example request and response:\n```json\n{\"message\": \"hi there\"}\n```\nThe server says nothing more than that.",
        "Write `{\"port\": 80}`.",
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
fn what_was_given_as_words_is_words_also_where_it_shows_data() {
    for words in [
        "see {\"a\":1} json inside",
        "Your config should simply be {\"port\": 4000}",
        "Here is the JSON:\n```json\n{\"port\": 80}\n```\nPut it into config.json and restart.",
    ] {
        let packed = serde_json::json!({ "text": words }).to_string();
        check(&packed, Some(words), None);
    }
    for words in ["{\"port\": 4000}", "My answer: {\"verdict\": \"none\"}"] {
        let packed = serde_json::json!({ "text": words }).to_string();
        assert_eq!(read(&packed), None, "{packed}");
    }
}

#[test]
fn what_cannot_be_shown_is_nothing() {
    for answer in [
        "{\"verdict\": 3}",
        "{\"a\": {\"b\": [1, 2",
        "[{\"x\": 1}]",
        "{\"text\": 12}",
        "My answer: {\"verdict\": \"none\", \"score\": 3}",
        "My answer, which I have thought about for long, is this: {\"verdict\": \"none\", \"score\": 3}",
        "Here is my answer, as you wanted it, in JSON:\n```json\n{\"verdict\": \"none\"}\n```",
        "My tags are these few: [\"a\", \"b\"]",
        "\"verdict\": \"none\", \"score\": 3}",
        "[1, 2, 3]",
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

/// What models put around words.
const FORMS: [&str; 14] = [
    "{\"text\": \"WORDS\"}",
    "{\"text\":\"WORDS\",\"mood\":\"calm\"}",
    "{\"mood\": \"calm\", \"comment\": \"WORDS\"}",
    "{\n  \"reply\": \"WORDS\"\n}",
    "{\"text\": [\"WORDS\"]}",
    "{\"text\": null, \"comment\": \"WORDS\"}",
    "{\"output\": \"WORDS\"}",
    "{\"response\": {\"text\": \"WORDS\"}}",
    "{\"message\": {\"role\": \"assistant\", \"content\": \"WORDS\"}}",
    "```json\n{\"text\": \"WORDS\"}\n```",
    "Here it is: {\"text\": \"WORDS\"}",
    "<comment>WORDS</comment>",
    "{\"text\": \"WORDS",
    "WORDS",
];

proptest! {
    #[test]
    fn nobody_is_ever_shown_an_object(answer in "(\\{|\\[|```json\n|\"|a|: |,|\\}|\\]|text|\"text\": |comment|\\\\|\n|。){0,24}") {
        if let Some(Written { text: Some(text), .. }) = read(&answer) {
            prop_assert!(!text.trim_start().starts_with("{\""), "{answer:?} gives {text:?}");
        }
    }

    /// Words in any form, with quotes and breaks of line that nothing marks, are read as
    /// they are; nothing of the form is.
    #[test]
    fn words_survive_every_form(
        words in prop::collection::vec("[a-z]{3,8}|\"[a-z]{3,8}\"|'[a-z]{3,8}'|[a-z]{3,8},|字号|“[a-z]{3,6}”", 1..8),
        between in select(vec![" ", "\n", "\n\n"]),
        form in select(FORMS.to_vec()),
    ) {
        let said = format!("so {} it was.", words.join(between));
        let answer = form.replace("WORDS", &said);
        let read = read(&answer).and_then(|written| written.text);
        prop_assert_eq!(read, Some(said), "{}", answer);
    }

    #[test]
    fn nothing_of_a_form_is_shown_wherever_it_breaks(
        form in select(FORMS.to_vec()),
        end in 0_usize..120,
        tail in "(\"|\\}|\\]|\\{|,|:|\n|a| |\\\\|null|\"text\": ){0,6}",
    ) {
        let whole = form.replace("WORDS", "so \"it\" was, and is.");
        let end = (0..=end.min(whole.len())).rev().find(|at| whole.is_char_boundary(*at)).unwrap_or(0);
        let answer = format!("{}{tail}", &whole[..end]);
        let shown = read(&answer).and_then(|written| written.text);
        // A fence in another language than `json`, as its first letters are, shows code.
        if let Some(text) = shown.filter(|text| !text.starts_with("```j")) {
            prop_assert!(!text.trim_start().starts_with("{\""), "{answer:?} gives {text:?}");
            let keys = ["\"text\": \"", "\"comment\": \"", "\"content\": \"", "\"message\": {"];
            prop_assert!(keys.iter().all(|key| !text.contains(key)), "{answer:?} gives {text:?}");
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

#[test]
fn data_in_code_that_words_speak_of_is_no_answer_whatever_its_names_are() {
    for answer in [
        "Run `curl -d '{\"text\":\"Hello\"}' URL` and look at the answer.",
        "Compare `{\"text\":\"a\"}` and `{\"text\":\"b\"}`: the second is newer.",
        "My commit message:\n```\nfix: say {\"message\":\"x\"} once\n```\nThat is all of it, I think.",
        "Your server should send back `{\"message\": \"not found\"}` with status 404, so that clients can show it.",
        "I would log `{\"level\":\"info\",\"message\":\"started\"}` there, one line for each event.",
        "1. Open the file.\n2. Add `\"reply\": \"always\"` to it.\n3. Start again.",
        "The bug is in line 12: you read `{\"content\": \"x\"}` but the API sends `{\"body\": \"x\"}`.",
        "When it is done, send a POST request to your webhook URL with this body:\n\n```json\n{\"text\": \"Deploy finished\"}\n```",
        "You send this request to the model:\n```json\n{\"messages\": [{\"content\": \"Hi\"}]}\n```\nand some seconds later comes its answer:\n```json\n{\"choices\": [{\"message\": {\"content\": \"Hello!\"}}]}\n```\nSo far for what stands in the docs.",
        "In JavaScript `const reply = {\"text\": \"hi\"}` makes an object.",
        "Call `send({\"text\": \"hi\"})` once.",
        "Use `data: {\"text\":\"hi\"}` in the stream.",
        "请求体如下：\n```json\n{\"text\": \"部署完成\"}\n```\n发送之后社区里就能看到这条消息。",
        "The hook that you have there expects `{\"text\": \"hi\"}`.",
    ] {
        check(answer, Some(answer), None);
    }
}
