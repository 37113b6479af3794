//! What a file says that words state which are here without that.

use super::{add, all, counts, file, folder, from, import, list, new, vouched};
use domain::{Command, MemoryFilter, MemoryFormat, MemoryImport, Trust};
use serde_json::json;
use std::time::Duration;
use tests::{Stage, stage};

#[tokio::test]
async fn the_same_words_state_from_then_on_what_a_file_that_is_vouched_for_says() {
    let stage = stage().open().await;
    let text = "The harbour office opens at nine";
    add(&stage, new(text)).await;
    let statement = json!({"subject": "harbour office", "attribute": "opens at", "value": "nine"});
    let line = json!({"text": text, "statement": statement}).to_string();
    let folder = folder();
    let path = file(&folder, "memories.jsonl", line);
    import(&stage, from(&path)).await;
    assert_eq!(all(&stage).await[0].statement, None, "nobody vouches for it");
    for _ in 0..2 {
        import(&stage, vouched(&path)).await;
        let now = all(&stage).await;
        let stated = now[0].statement.as_ref().map(|one| one.value.as_str());
        assert_eq!((now.len(), stated, now[0].version), (1, Some("nine"), 2));
    }
}

async fn holding(stage: &Stage) -> Vec<String> {
    let mut texts = list(stage, MemoryFilter::default()).await;
    texts.sort();
    texts
}

/// Takes in a file of this name with these words.
async fn noted(stage: &Stage, name: &str, text: &str) -> MemoryImport {
    let folder = folder();
    import(stage, from(&file(&folder, name, text))).await
}

/// Notes, what a person says then, and what holds.
const NOTES: [(&str, &str, &[&str]); 7] = [
    ("- I live in Oslo", "I moved to Bergen", &["I moved to Bergen"]),
    ("- User lives in Oslo", "I moved to Bergen", &["I moved to Bergen"]),
    ("- Lives in Oslo", "I live in Bergen", &["I live in Bergen"]),
    ("- The user prefers dark mode", "I prefer light mode", &["I prefer light mode"]),
    ("- 用户住在杭州", "我搬到上海了", &["我搬到上海了"]),
    ("- 住在杭州", "我搬到上海了", &["我搬到上海了"]),
    (
        "- The user lives in Oslo and works at Nordbank",
        "I moved to Bergen",
        &["I moved to Bergen", "The user works at Nordbank"],
    ),
];

#[tokio::test]
async fn what_notes_say_of_the_person_gives_way_to_what_they_say_later() {
    for (note, said, expected) in NOTES {
        for (name, head) in [("MEMORY.md", "# Notes\n\n"), ("memories.md", "# Memories\n\n")] {
            let stage = stage().open().await;
            // One of our own is known by what stands in it.
            let ours = "- Has a boat\n  <!-- coterie {\"kind\":\"fact\"} -->\n";
            let ours = if name == "MEMORY.md" { "" } else { ours };
            let told = noted(&stage, name, &format!("{head}{note}\n{ours}")).await;
            let format =
                if ours.is_empty() { MemoryFormat::MemoryMd } else { MemoryFormat::Markdown };
            assert_eq!((told.format, told.left_out), (format, 0), "{note}");
            stage.clock.advance(Duration::from_secs(60));
            add(&stage, new(said)).await;
            let mut holding = holding(&stage).await;
            holding.retain(|text| text != "Has a boat");
            assert_eq!(holding, expected, "{name}: {note}");
        }
    }
}

#[tokio::test]
async fn what_notes_say_against_a_persons_word_waits_and_what_they_say_again_is_there() {
    let stage = stage().open().await;
    add(&stage, new("I live in Bergen")).await;
    let notes = "# Notes\n\n- Lives in Oslo\n- User lives in Bergen\n- Likes tea and coffee\n";
    let told = noted(&stage, "MEMORY.md", notes).await;
    assert_eq!(counts(&told), (3, 1, 1, 0));
    assert_eq!(holding(&stage).await, ["I live in Bergen", "Likes coffee", "Likes tea"]);
    let again = noted(&stage, "MEMORY.md", notes).await;
    assert_eq!((again.added, all(&stage).await.len()), (0, 4));
    assert!(all(&stage).await.iter().all(|one| one.trust != Trust::Agent));
}

#[tokio::test]
async fn what_is_no_plain_word_of_the_person_states_nothing() {
    let stage = stage().open().await;
    add(&stage, new("I live in Bergen")).await;
    let notes = "# Notes\n\n- Bo lives in Oslo\n- The server lives in Oslo\n- If the user lives in Oslo, ask for the address\n";
    let told = noted(&stage, "MEMORY.md", notes).await;
    assert_eq!(counts(&told), (3, 0, 0, 0));
    let stated = all(&stage).await.into_iter().filter(|one| one.statement.is_some()).count();
    assert_eq!(stated, 1);
    let command = Command::AddMemory { memory: new("I moved to Rome") };
    stage.do_(command).await;
    assert_eq!(holding(&stage).await.len(), 4);
}

#[tokio::test]
async fn words_that_somebody_edits_in_a_file_state_what_they_say() {
    let stage = stage().open().await;
    let shanghai = add(&stage, new("I moved to Shanghai")).await.id;
    add(&stage, new("I'm not allergic to nuts")).await;
    let folder = folder();
    let path = folder.path().join("memories.md");
    let told = stage
        .do_(Command::ExportMemories {
            path: path.display().to_string(),
            format: MemoryFormat::Markdown,
            filter: MemoryFilter::default(),
        })
        .await;
    assert!(matches!(told, domain::Reply::MemoryExport(_)), "{told:?}");
    let text = std::fs::read_to_string(&path).expect("it is written");
    let edited = text.replace("to Shanghai", "to Tokyo").replace("to nuts\n", "to shellfish\n");
    std::fs::write(&path, edited).expect("it is edited");

    let other = tests::stage().open().await;
    import(&other, vouched(&path)).await;
    let stated: Vec<String> = all(&other)
        .await
        .into_iter()
        .map(|one| one.statement.map(|one| format!("{} {}", one.attribute, one.value)).unwrap())
        .collect();
    assert_eq!(stated, ["lives in Tokyo", "allergic to shellfish no"]);
    add(&other, new("I'm allergic to nuts")).await;
    add(&other, new("I live in Shanghai")).await;
    assert_eq!(
        holding(&other).await,
        ["I live in Shanghai", "I'm allergic to nuts", "I'm not allergic to shellfish"]
    );

    // Where it came from it is put into these words, as by hand.
    stage.clock.advance(Duration::from_secs(60));
    import(&stage, vouched(&path)).await;
    let tokyo = super::detail(&stage, shanghai).await.memory;
    let value = tokyo.statement.map(|one| one.value);
    assert_eq!((tokyo.text.as_str(), value.as_deref()), ("I moved to Tokyo", Some("Tokyo")));
}

#[tokio::test]
async fn what_gave_way_to_what_gave_way_to_it_is_left_out() {
    let stage = stage().open().await;
    let ids: Vec<String> =
        (1..=4).map(|n| format!("0000000{n}-0000-4000-8000-000000000000")).collect();
    let line = |nth: usize, by: usize| {
        let state = json!({"kind": "superseded", "by": ids[by]});
        json!({"id": ids[nth], "text": format!("Fact {nth}"), "state": state}).to_string()
    };
    let lines = [line(0, 0), line(1, 2), line(2, 1), line(3, 1)].join("\n");
    let folder = folder();
    let path = file(&folder, "memories.jsonl", lines);
    let preview = Command::ImportMemories {
        path: path.display().to_string(),
        format: None,
        scope: None,
        vouched: true,
        preview: true,
    };
    for command in [preview, vouched(&path)] {
        let told = import(&stage, command).await;
        assert_eq!((told.found, told.left_out, told.added), (4, 3, 1), "{:?}", told.reasons);
    }
    assert_eq!(all(&stage).await.into_iter().map(|one| one.text).collect::<Vec<_>>(), ["Fact 3"]);
}
