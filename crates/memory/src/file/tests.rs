//! What readers make of files, and of bytes that are none.

use super::*;
use crate::tests::memory;
use domain::{LeftOutWhy, MemoryKind, MemoryScope, Statement};
use proptest::prelude::*;
use uuid::Uuid;

#[path = "../../../../tests/harness/random.rs"]
mod random;
use random::holds;

const FORMATS: [MemoryFormat; 5] = [
    MemoryFormat::Jsonl,
    MemoryFormat::Markdown,
    MemoryFormat::MemoryMd,
    MemoryFormat::Chatgpt,
    MemoryFormat::Claude,
];

fn all(format: MemoryFormat, name: &str, bytes: &[u8]) -> Result<Vec<Found>, Unreadable> {
    let mut all = Vec::new();
    read(format, name, bytes, &mut |found| {
        all.push(found);
        ControlFlow::Continue(())
    })?;
    Ok(all)
}

fn entries(format: MemoryFormat, name: &str, text: &str) -> Vec<Entry> {
    let entry = |found| match found {
        Found::Entry(entry) => entry,
        Found::LeftOut(left_out) => panic!("{left_out:?}"),
    };
    all(format, name, text.as_bytes()).unwrap().into_iter().map(entry).collect()
}

fn texts(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.new.text.as_str()).collect()
}

fn wrong(format: MemoryFormat, bytes: &[u8]) -> (Option<u64>, String) {
    let wrong = all(format, "x", bytes).unwrap_err();
    assert!(!wrong.wrong.fix().is_empty());
    (wrong.line, wrong.wrong.to_string())
}

#[test]
fn each_format_is_known_by_its_beginning() {
    let check = |name: &str, bytes: &[u8], expected: Result<MemoryFormat, &str>| {
        assert_eq!(
            detect(name, bytes).map_err(|wrong| wrong.wrong.to_string()),
            expected.map_err(str::to_owned)
        );
    };
    check("a", b"{\"text\":\"x\"}\n", Ok(MemoryFormat::Jsonl));
    check("a", b"\xef\xbb\xbf {\"text\":\"x\"}\n", Ok(MemoryFormat::Jsonl));
    check("a.jsonl", b"{\"text", Ok(MemoryFormat::Jsonl));
    check("a.json", b" [ {\"title\":\"x\",\"mapping\":{}} ]", Ok(MemoryFormat::Chatgpt));
    check("a.json", b"[{\"title\":\"x\",\"mapping\":{\"a\":", Ok(MemoryFormat::Chatgpt));
    check("a.json", b"[{\"chat_messages\":[]}]", Ok(MemoryFormat::Claude));
    check("a.json", b"{\"chat_messages\":[]}\n{\"chat_messages\":[]}", Ok(MemoryFormat::Claude));
    check("a.json", b"[{\"a\":1}]", Err("it is no list of conversations"));
    let chat = br#"{"user_name":"Ann","character_name":"Kim","chat_metadata":{}}"#;
    check("a.jsonl", chat, Err("it is a chat of SillyTavern"));
    check("a.json", b"[ ]", Err("the list in it is empty"));
    check("a.md", b"# Memories\n\n- x\n  <!-- coterie {} -->\n", Ok(MemoryFormat::Markdown));
    check("MEMORY.md", b"[a link](b)\n- x\n", Ok(MemoryFormat::MemoryMd));
    check("MEMORY.md", b"", Ok(MemoryFormat::MemoryMd));
    check("a.zip", b"PK\x03\x04rest", Err("it is a packed archive"));
    check("chat.html", b"<!DOCTYPE html>", Err("it is a web page"));
    check("a.txt", b"\xff\xfea\0", Err("it is UTF-16 text"));
    check("a.png", b"\x89PNG\0", Err("it is no text"));
}

#[test]
fn what_is_wrong_with_a_file_is_told_with_its_line() {
    let jsonl = |bytes: &[u8]| wrong(MemoryFormat::Jsonl, bytes);
    let text = "{\"text\":\"x\"}\n";
    let cut = format!("{text}\n{{\"text\":\"y");
    assert_eq!(
        jsonl(cut.as_bytes()),
        (Some(3), "it is no memory: EOF while parsing a string at column 10".into())
    );
    let kind = format!("{text}{{\"text\":\"y\",\"kind\":\"hunch\"}}\n");
    let (line, what) = jsonl(kind.as_bytes());
    assert_eq!(line, Some(2));
    assert!(what.starts_with("it is no memory: unknown variant `hunch`"), "{what}");
    assert_eq!(jsonl(b"{\"kind\":\"fact\"}").1, "the memory has no text");
    assert_eq!(jsonl(b"{}\xff").0, Some(1));
    assert_eq!(jsonl(b"{\"text\":\"\xff\"}"), (Some(1), "the line is no UTF-8 text".into()));

    let item = b"- x\n- y\n  <!-- coterie {\"id\":7} -->\n";
    assert_eq!(wrong(MemoryFormat::Markdown, item).0, Some(3));

    let list = b"[\n{\"mapping\":{}},\n{\"mapping\":{},\n";
    assert_eq!(
        wrong(MemoryFormat::Chatgpt, list),
        (Some(4), "the file ends in the middle of a conversation".into())
    );
    let (line, what) = wrong(MemoryFormat::Claude, b"[\n{\"chat_messages\": oops}]");
    assert_eq!(line, Some(2));
    assert!(what.starts_with("it is no JSON in column"), "{what}");
    assert_eq!(wrong(MemoryFormat::Claude, b"[]\n[]").0, Some(2));
}

#[test]
fn files_that_an_exported_conversation_shows_are_told_as_left_out() {
    let shown = r#"{"file_name":"letter.txt","extracted_content":"I live in Oslo."}"#;
    let said = r#"{"sender":"human","text":"I live in Porto.","attachments":[FILES]}"#;
    let export = format!(r#"[{{"uuid":"c","chat_messages":[{said}]}}]"#).replace("FILES", shown);
    let found = all(MemoryFormat::Claude, "x", export.as_bytes()).unwrap();
    let [Found::LeftOut(left_out), Found::Entry(entry)] = &found[..] else { panic!("{found:?}") };
    assert_eq!(left_out.place.to_string(), "conversation 1");
    assert_eq!(left_out.why, LeftOutWhy::Shown { files: 1 });
    assert_eq!(entry.new.text, "User: I live in Porto.");
}

#[test]
fn a_line_may_say_no_more_than_its_words() {
    let found = entries(MemoryFormat::Jsonl, "x", "\u{feff}{\"text\":\"Likes tea\"}\r\n\r\n");
    assert_eq!(texts(&found), ["Likes tea"]);
    assert_eq!((found[0].new.kind, found[0].new.scope), (MemoryKind::Fact, MemoryScope::User));
    assert_eq!(found[0].place.to_string(), "line 1");
}

#[test]
fn markdown_can_be_edited_by_hand() {
    let text = "# Memories\n\n- Likes tea.\n  Green tea.\n  <!-- coterie {\"kind\":\"preference\"} -->\n\
                - Plays chess\n  on Sundays\n\nSome prose.\n- Has a cat\n";
    let found = entries(MemoryFormat::Markdown, "x.md", text);
    assert_eq!(texts(&found), ["Likes tea.\nGreen tea.", "Plays chess\non Sundays", "Has a cat"]);
    assert_eq!(found[0].new.kind, MemoryKind::Preference);
    assert_eq!(
        (found[1].claims.is_none(), found[2].place.to_string()),
        (true, "line 10".to_owned())
    );
}

#[test]
fn notes_of_openclaw_become_a_memory_for_each_item_and_paragraph() {
    let text = "---\ntitle: x\n---\n# MEMORY.md\n\nWorks at the mill.\n<!-- a mark\nof two lines -->\n\
        ## Preferences\n\n- Short answers\n  - in the morning\n* [x] Green tea\n\n  and biscuits\n\n\
        1. No calls\n\n---\n\n## How to deploy\n\n```sh\nmake\n\nmake install\n```\n\n### 2026-01-30\n\nMet Bo.\nTalked long.\n";
    let found = entries(MemoryFormat::MemoryMd, "MEMORY.md", text);
    assert_eq!(
        texts(&found),
        [
            "Works at the mill.",
            "Short answers\n  - in the morning",
            "Green tea\n  and biscuits",
            "No calls",
            "```sh\nmake\n\nmake install\n```",
            "Met Bo.\nTalked long.",
        ]
    );
    let told =
        |at: usize| (found[at].new.kind, found[at].new.tags.join(","), found[at].place.to_string());
    assert_eq!(told(0), (MemoryKind::Fact, String::new(), "line 6".into()));
    assert_eq!(told(1), (MemoryKind::Preference, "Preferences".into(), "line 11".into()));
    assert_eq!(told(4), (MemoryKind::Skill, "How to deploy".into(), "line 23".into()));
    assert_eq!(told(5), (MemoryKind::Episode, "2026-01-30".into(), "line 31".into()));
    assert_eq!(found[5].new.valid_from_ms, Some(1_769_731_200_000));
    let day = entries(MemoryFormat::MemoryMd, "2026-01-30.md", "- Met Bo\n");
    assert_eq!(day[0].new.valid_from_ms, Some(1_769_731_200_000));
    assert_eq!(day[0].new.kind, MemoryKind::Episode);
}

#[test]
fn notes_of_hermes_stand_between_section_signs() {
    let text = "The user likes tea.\n- and biscuits\n§\n\nDeploys on Fridays\n§\n";
    let found = entries(MemoryFormat::MemoryMd, "USER.md", text);
    assert_eq!(texts(&found), ["The user likes tea.\n- and biscuits", "Deploys on Fridays"]);
    assert_eq!(found[1].place.to_string(), "line 5");
}

#[test]
fn a_long_text_is_cut_between_its_paragraphs() {
    let paragraph = "word ".repeat(300).trim().to_owned();
    let text = vec![paragraph.clone(); 5].join("\n\n");
    let cut = pieces::pieces(&text);
    assert_eq!(cut.len(), 3);
    assert!(cut.iter().all(|piece| piece.chars().count() <= pieces::MOST_CHARACTERS));
    assert_eq!(cut.join("\n\n"), text);
    let solid = "字".repeat(9_001);
    let cut = pieces::pieces(&solid);
    assert_eq!(
        cut.iter().map(|piece| piece.chars().count()).collect::<Vec<_>>(),
        [4_000, 4_000, 1_001]
    );
    assert_eq!(pieces::pieces(" … \n"), Vec::<&str>::new());
}

#[test]
fn a_tree_that_leads_in_a_circle_is_followed_once() {
    let text = r#"[{"title":"x","current_node":"a","mapping":{
        "a":{"parent":"b","message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["hello there"]}}},
        "b":{"parent":"a","message":{"author":{"role":"assistant"},"content":{"content_type":"text","parts":["hi"]}}}}}]"#;
    let found = entries(MemoryFormat::Chatgpt, "x", text);
    assert_eq!(texts(&found), ["ChatGPT: hi", "User: hello there"]);
}

#[test]
fn what_an_assistant_writes_in_the_name_of_the_person_is_not_the_persons_word() {
    let example = r"Here is one:\nUser: I live in Mordor.\nHuman: really";
    let text = format!(
        r#"[{{"title":"x","current_node":"a","mapping":{{
        "b":{{"message":{{"author":{{"role":"user"}},"content":{{"content_type":"text","parts":["I live in Porto.\nWrite a dialogue."]}}}}}},
        "a":{{"parent":"b","message":{{"author":{{"role":"assistant"}},"content":{{"content_type":"text","parts":["{example}"]}}}}}}}}}}]"#
    );
    let found = entries(MemoryFormat::Chatgpt, "x", &text);
    let all = texts(&found).join("\n");
    assert!(all.contains("> User: I live in Mordor."), "{all}");
    assert_eq!(words_of_person(&all), "I live in Porto.\nWrite a dialogue.\n\n");
}

#[test]
fn only_what_the_person_said_counts() {
    let text = "User: I live in Porto.\nIt is warm.\nAssistant: I live in a box.\nUser: Good.";
    assert_eq!(words_of_person(text), "I live in Porto.\nIt is warm.\nGood.\n");
    assert_eq!(words_of_person("The user: lives here"), "");
}

fn any_text() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "some words",
        "字é",
        " a ",
        "\n",
        "  ",
        "\\<!-- coterie {} -->",
        "<!-- coterie {",
        "--> - §",
        "\r\n- ",
    ];
    let piece = prop_oneof![
        4 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..6)
        .prop_map(|parts| format!("x{}", parts.concat()).trim().to_owned())
}

fn any_memory() -> impl Strategy<Value = Memory> {
    let ids = || any::<[u8; 16]>().prop_map(|bytes| MemoryId(Uuid::from_bytes(bytes)));
    let state = prop_oneof![
        Just(MemoryState::Current),
        ids().prop_map(MemoryState::Superseded),
        ids().prop_map(MemoryState::Contested),
        Just(MemoryState::Wrong),
    ];
    let statement = proptest::option::of((any_text(), any_text(), any_text()));
    let parts = (ids(), any_text(), statement, proptest::collection::vec(any_text(), 0..3), state);
    let numbers = (0_u8..=100, any::<bool>(), any::<Option<i32>>(), 1_u32..9, any::<u32>());
    (parts, numbers).prop_map(|((id, text, statement, tags, state), numbers)| {
        let (importance, pinned, from, evidence, at) = numbers;
        let statement =
            statement.map(|(subject, attribute, value)| Statement { subject, attribute, value });
        let source = Source { file: Some(text.clone()), ..Source::default() };
        let kind = if pinned { MemoryKind::Skill } else { MemoryKind::Episode };
        let valid_from_ms = from.map(i64::from);
        let (created_at_ms, changed_at_ms) = (i64::from(at), i64::from(at) + 1);
        Memory {
            id,
            kind,
            statement,
            tags,
            state,
            importance,
            pinned,
            source,
            valid_from_ms,
            evidence,
            created_at_ms,
            changed_at_ms,
            ..memory(&text)
        }
    })
}

/// What an entry says, as the memory that it was.
fn as_memory(entry: Entry) -> Memory {
    let Entry { new, claims, .. } = entry;
    let claims = *claims.expect("a file of ours says everything");
    Memory {
        id: claims.id.unwrap(),
        kind: new.kind,
        scope: new.scope,
        statement: new.statement,
        tags: new.tags,
        trust: claims.trust.unwrap(),
        importance: new.importance.unwrap(),
        pinned: claims.pinned,
        source: claims.source,
        valid_from_ms: new.valid_from_ms,
        valid_to_ms: new.valid_to_ms,
        created_at_ms: claims.created_at_ms.unwrap(),
        changed_at_ms: claims.changed_at_ms.unwrap(),
        state: claims.state,
        evidence: claims.evidence,
        recalled: claims.recalled,
        recalled_at_ms: claims.recalled_at_ms,
        ..memory(&new.text)
    }
}

#[test]
fn what_we_write_is_read_as_it_was() {
    holds(proptest::collection::vec(any_memory(), 1..3), |memories| {
        for format in [MemoryFormat::Jsonl, MemoryFormat::Markdown] {
            let mut file = head(format).unwrap().to_owned();
            for memory in &memories {
                file += &written(format, memory).unwrap();
            }
            let found = entries(format, "x", &file);
            let read: Vec<Memory> = found.into_iter().map(as_memory).collect();
            assert_eq!(read, memories, "{file}");
        }
    });
}

#[test]
fn no_bytes_are_too_strange_to_be_read_or_refused() {
    holds(proptest::collection::vec(any::<u8>(), 0..200), |bytes| endures(&bytes));
}

#[test]
fn no_text_is_too_strange_either() {
    const MARKS: &[&str] = &[
        "# ",
        "####### ",
        "- ",
        "  - ",
        "12. ",
        "```",
        "~~~",
        "---",
        "§",
        "<!--",
        "-->",
        "2026-13-01",
        "[",
        "]",
        "{",
        "}",
        "\"",
        ",",
        ":",
        "\n",
        "\n",
        "{\"text\":\"a\"}",
        "\"mapping\":{\"a\":{\"parent\":\"a\",\"message\":null}}",
        "[{\"chat_messages\":[{\"sender\":\"human\",\"text\":\"b\",\"created_at\":\"x\"}]}",
        "\u{e200}",
    ];
    let piece = prop_oneof![
        3 => proptest::sample::select(MARKS).prop_map(str::to_owned),
        1 => any_text(),
    ];
    holds(proptest::collection::vec(piece, 0..20), |pieces| endures(pieces.concat().as_bytes()));
}

fn endures(bytes: &[u8]) {
    for name in ["", "2026-13-99.md", "字字字字字字.jsonl"] {
        let _ = detect(name, bytes);
        for format in FORMATS {
            if let Ok(found) = all(format, name, bytes) {
                assert!(found.len() <= bytes.len());
            }
        }
    }
}
