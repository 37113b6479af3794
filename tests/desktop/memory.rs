//! What is remembered: written down, found, corrected, forgotten, and shown
//! under the reply that used it.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::{Window, id, key};
use domain::{
    Call, Command, Memory, MemoryFilter, MemoryKind, MemoryScope, MemoryState, NewMemory, Query,
    Reply, Standing, Statement,
};

fn new(text: &str) -> NewMemory {
    NewMemory {
        kind: MemoryKind::Fact,
        scope: MemoryScope::User,
        text: text.into(),
        statement: None,
        tags: Vec::new(),
        importance: None,
        valid_from_ms: None,
        valid_to_ms: None,
    }
}

async fn add(machine: &Machine, memory: NewMemory) -> Memory {
    match machine.ask(Call::Command(Command::AddMemory { memory })).await {
        Reply::Memory(memory) => *memory,
        other => panic!("no memory: {other:?}"),
    }
}

/// All there are, the last changed first.
async fn all(machine: &Machine) -> Vec<Memory> {
    let filter = MemoryFilter { standing: Standing::Any, ..MemoryFilter::default() };
    let query = Query::Memories { filter, before: None, limit: 100 };
    match machine.ask(Call::Query(query)).await {
        Reply::Memories(page) => page.memories,
        other => panic!("no memories: {other:?}"),
    }
}

async fn open_memory(machine: &Machine) -> Window {
    let window = machine.open_window().await;
    window.click(&id("rail-memory")).await;
    window.see(&id("page-memory")).await;
    window
}

#[tokio::test]
async fn what_is_written_down_says_who_reads_it_before_it_is_saved() {
    let machine = Machine::seeded(seed()).await;
    let window = open_memory(&machine).await;
    window.see_text(&id("page-memory"), "Nothing is remembered yet").await;
    window.click(&id("memory-add")).await;
    window.write(&id("memory-form-text"), "The kettle is new").await;
    window.see_text(&id("memory-form-readers"), "Every agent reads this").await;
    window.choose(&id("memory-form-scope"), "Only in First group").await;
    window.see_text(&id("memory-form-readers"), "Only the agents in First group read this").await;
    window.write(&id("memory-form-tags"), "kitchen, tea").await;
    window.keep_picture("memory-form").await;
    window.click(&id("memory-form-save")).await;
    window.see_gone(&id("memory-form")).await;
    window.see_text(&id("memory-text"), "The kettle is new").await;
    window.see_text(&id("memory-readers"), "Only the agents in First group").await;

    let memories = all(&machine).await;
    assert_eq!(memories.len(), 1);
    assert_eq!(memories[0].text, "The kettle is new");
    assert_eq!(memories[0].tags, ["kitchen", "tea"]);
    assert!(matches!(memories[0].scope, MemoryScope::Group(_)));
}

#[tokio::test]
async fn a_search_finds_the_words_and_says_where_the_score_comes_from() {
    let machine = Machine::seeded(seed()).await;
    let window = open_memory(&machine).await;
    add(&machine, new("Street trees cool the city by two degrees")).await;
    add(&machine, new("Otto books the room on Fridays")).await;
    window.see_text(&id("memory-count"), "2 memories").await;
    window.write(&id("memory-find"), "trees").await;
    // What has none of the words may follow, by what it means.
    window.see_text(&id("memory-count"), "found").await;
    window.see_text("mark", "trees").await;
    window.see_text(&id("memory-why"), "Words").await;
    window.keep_picture("memory-search").await;

    window.click(&id("memory-show-table")).await;
    window.see(&id("memory-row")).await;
    window.empty(&id("memory-find")).await;
    window.see_text(&id("memory-count"), "2 memories").await;
    window.click(&format!("{} {}", id("memory-row"), id("memory-open"))).await;
    window.press(&[key::DOWN]).await;
    window.see_text(&id("memory-text"), "Street trees").await;
    window.keep_picture("memory-table").await;
}

#[tokio::test]
async fn an_edit_is_a_version_that_can_be_undone_and_forgetting_is_for_ever() {
    let machine = Machine::seeded(seed()).await;
    let window = open_memory(&machine).await;
    add(&machine, new("Lin takes tea with sugar")).await;
    window.see_text(&id("memory-text"), "with sugar").await;
    window.click(&id("memory-edit")).await;
    window.see(&id("memory-form-text")).await;
    window.empty(&id("memory-form-text")).await;
    window.write(&id("memory-form-text"), "Lin takes tea without sugar").await;
    window.click(&id("memory-form-save")).await;
    window.see_text(&id("memory-text"), "without sugar").await;
    window.see_text(&id("memory-history"), "Edited").await;
    window.keep_picture("memory-history").await;
    window.click(&id("memory-undo")).await;
    window.see_text(&id("memory-text"), "with sugar").await;
    assert_eq!(all(&machine).await[0].text, "Lin takes tea with sugar");

    window.click(&id("memory-forget")).await;
    window.see_text(&id("forget-dialog"), "This cannot be undone").await;
    window.click(&id("forget-do")).await;
    window.see_gone(&id("forget-dialog")).await;
    window.see_gone(&id("memory-card")).await;
    window.click(&id("memory-standing-any")).await;
    window.see_text(&id("memory-card"), "gone for ever").await;
    let memories = all(&machine).await;
    assert_eq!((memories[0].state, memories[0].text.as_str()), (MemoryState::Forgotten, ""));
}

/// As the shell tells of files that are dropped.
const DROP: &str = "window.dispatchEvent(new CustomEvent('coterie-files',
    { detail: { kind: 'dropped', paths: [arguments[0]] } }))";

#[tokio::test]
async fn memories_come_in_from_a_file_that_is_dropped_and_go_out_into_another() {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let lines = "{\"text\":\"Lin takes tea\"}\n{\"text\":\"Bo repairs the boiler\"}\n\
                 {\"text\":\"lin takes TEA\"}\n";
    std::fs::write(path("notes.jsonl"), lines).expect("a file");
    let machine = Machine::seeded(seed()).await;
    let window = open_memory(&machine).await;
    window.run(DROP, &[path("notes.jsonl").into()]).await;
    window.see_text(&id("import-preview"), "3 memories found").await;
    window.see_text(&id("import-added"), "2").await;
    assert!(all(&machine).await.is_empty(), "a preview changes nothing");
    window.click(&id("import-vouch")).await;
    window.see_text(&id("import-preview"), "You said it").await;
    window.keep_picture("memory-import").await;
    window.click(&id("import-do")).await;
    window.see_text(&id("import-report"), "There already").await;
    window.see_text(&id("import-added"), "2").await;
    window.click(&id("import-close")).await;
    window.see_text(&id("memory-count"), "2 memories").await;
    assert_eq!(all(&machine).await.len(), 2);

    window.click(&id("memory-files")).await;
    window.click_text("[role=menuitem]", "Export…").await;
    window.choose(&id("export-format"), "Markdown").await;
    window.write(&id("export-path"), &path("memories.md")).await;
    window.keep_picture("memory-export").await;
    window.click(&id("export-do")).await;
    window.see_text(&id("export-report"), "2 memories written").await;
    let written = std::fs::read_to_string(path("memories.md")).expect("it is there");
    assert!(written.contains("- Bo repairs the boiler"), "{written}");
    window.click(&id("export-close")).await;

    window.click(&id("memory-files")).await;
    window.click_text("[role=menuitem]", "Consolidate now…").await;
    window.see_text(&id("consolidated"), "looked at").await;
    window.keep_picture("memory-consolidate").await;
}

#[tokio::test]
async fn a_reply_shows_what_it_was_reminded_of_and_has_it_judged_there() {
    let machine =
        Machine::seeded(seed().answer("report", "It is due on Friday, as you said.")).await;
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    let due = add(&machine, new("The report is due on Friday")).await;
    window.say("When is the report due?").await;
    window.see_message("Ada: It is due on Friday, as you said.").await;
    window.see_text(&id("receipt-remembered"), "remembered 1").await;
    window.click(&id("receipt-remembered")).await;
    window.see_text(&id("remembered-memory"), "The report is due on Friday").await;
    window.see_text(&id("remembered-scores"), "words").await;
    window.keep_picture("remembered").await;
    window.click(&id("remembered-outdated")).await;
    window.see_text(&id("remembered-state"), "No longer so").await;
    let memories = all(&machine).await;
    assert!(memories[0].valid_to_ms.is_some(), "{memories:?}");

    window.click(&id("receipt-why")).await;
    window.see_text("[data-step=recalled]", "Remembered 1 thing").await;
    window.click(&id("remembered-open")).await;
    window.see_text(&id("memory-detail"), &due.text).await;
    window.see_text(&id("memory-read-by"), "Ada in First group").await;
}

#[tokio::test]
async fn relations_and_times_are_drawn_and_reached_by_keys() {
    let machine = Machine::seeded(seed()).await;
    let window = open_memory(&machine).await;
    let said = |subject: &str, attribute: &str, value: &str| NewMemory {
        statement: Some(Statement {
            subject: subject.into(),
            attribute: attribute.into(),
            value: value.into(),
        }),
        ..new(&format!("{subject} {attribute} {value}"))
    };
    add(&machine, said("Ana", "works as", "botanist")).await;
    add(&machine, said("Lin", "sister", "Ana")).await;
    add(&machine, said("Lin", "likes", "tea")).await;
    window.see_text(&id("memory-count"), "3 memories").await;
    window.click(&id("memory-show-graph")).await;
    let node = r#"[aria-label="Ana, works as: botanist"]"#;
    window.focus(node).await;
    window.press(&[key::ENTER]).await;
    window.see_text(&id("memory-text"), "Ana works as botanist").await;
    window.keep_picture("memory-graph").await;
    window.click(&id("memory-show-timeline")).await;
    until("all three stand in this month", async || {
        (window.texts(&id("timeline-memory")).await.len() == 3).then_some(())
    })
    .await;
    window.keep_picture("memory-timeline").await;
}
