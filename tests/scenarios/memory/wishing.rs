//! What a person wants holds until they want otherwise, however they say either.

use super::{add, detail, done, list, new};
use domain::{
    Command, Memory, MemoryChange, MemoryFilter, MemoryKind, MemoryPatch, MemoryState, NewMemory,
    Query, Reply, Standing, Statement,
};
use std::time::Duration;
use tests::{Stage, stage};

async fn holding(stage: &Stage) -> Vec<String> {
    list(stage, MemoryFilter::default()).await
}

/// The person says it, and it is noticed.
async fn said(stage: &Stage, text: &str, noticed: &str) {
    let group = stage.direct("Ada").await;
    stage.clock.advance(Duration::from_secs(60));
    stage.say(group, text).await;
    stage.until(async |stage: &Stage| holding(stage).await.contains(&noticed.to_owned())).await;
}

/// What Ada is told of the person and their wishes when she is asked, line by line.
async fn told(stage: &Stage) -> Vec<String> {
    let group = stage.direct("Ada").await;
    stage.say(group, "How is the weather?").await;
    let system = stage.model.requests().pop().expect("she is asked").turns.remove(0).content;
    let lines = system.lines().filter(|line| line.starts_with("  - ("));
    lines.map(|line| line.split_once(") ").expect("a day").1.to_owned()).collect()
}

/// The one with these words, whether it holds or not.
async fn found(stage: &Stage, text: &str) -> Memory {
    let filter = MemoryFilter { standing: Standing::Any, ..MemoryFilter::default() };
    let Ok(Reply::Memories(page)) =
        stage.query(Query::Memories { filter, before: None, limit: 100 }).await
    else {
        panic!("no memories")
    };
    page.memories.into_iter().find(|memory| memory.text == text).expect("it is remembered")
}

fn wants(text: &str) -> NewMemory {
    NewMemory { kind: MemoryKind::Preference, ..new(text) }
}

const GERMAN: &str = "The user wants to be answered in German";
const ENGLISH: &str = "The user wants to be answered in English";

#[tokio::test]
async fn a_later_wish_takes_the_place_of_the_earlier_in_whatever_language() {
    for (first, then, second, last) in [
        ("From now on answer in German.", GERMAN, "From now on answer in English.", ENGLISH),
        ("请用中文回答。", "用户希望用中文回答", "请用英文回答。", "用户希望用英文回答"),
        ("以後請用中文回答。", "用戶希望用中文回答", "請用英文回答。", "用戶希望用英文回答"),
        (
            "これからは日本語で答えてください。",
            "ユーザーは日本語での回答を望んでいる",
            "英語で答えてください。",
            "ユーザーは英語での回答を望んでいる",
        ),
        ("From now on answer in German.", GERMAN, "以后请用英文回答我。", "用户希望用英文回答"),
        ("From now on answer in German.", GERMAN, "Could you answer in English again?", ENGLISH),
        ("From now on answer in German.", GERMAN, "Ada, answer in English.", ENGLISH),
        ("From now on answer in German.", GERMAN, "In English please.", ENGLISH),
        (
            "请用中文回答。",
            "用户希望用中文回答",
            "不要用中文了，用英文回答。",
            "用户希望用英文回答",
        ),
        (
            "Keep your answers short.",
            "The user wants short answers",
            "以后回答请详细一点。",
            "用户希望回答详细",
        ),
    ] {
        let stage = stage().open().await;
        said(&stage, first, then).await;
        said(&stage, second, last).await;
        assert_eq!(holding(&stage).await, [last]);
        assert_eq!(told(&stage).await, [last]);
        let past = MemoryFilter { standing: Standing::Past, ..MemoryFilter::default() };
        assert_eq!(list(&stage, past).await, [then], "it stays on record");
    }
}

#[tokio::test]
async fn what_is_wanted_gives_way_to_never_and_never_to_what_is_wanted() {
    let [short, long] = ["The user wants short answers", "The user wants long answers"];
    let french = "The user wants to be answered in French";
    for (first, then, second, last) in [
        ("Never in German.", "Never in German", "From now on answer in German", GERMAN),
        ("Answer in German.", GERMAN, "Never in German.", "Never in German"),
        ("Never use German.", "Never use German", "From now on use German.", GERMAN),
        ("以后用德语回答", "用户希望用德语回答", "永远不要用德语回答", "永远不要用德语回答"),
        (
            "Please keep your answers short",
            short,
            "From now on give me long, detailed answers",
            long,
        ),
        ("I want long answers.", long, "From now on give me short, simple answers", short),
        (
            "From now on give me answers in German",
            GERMAN,
            "From now on give me answers in French",
            french,
        ),
        ("Please always be brief.", short, "Never be brief.", "Never be brief"),
        ("Never be brief.", "Never be brief", "Keep your answers short.", short),
    ] {
        let stage = stage().open().await;
        said(&stage, first, then).await;
        said(&stage, second, last).await;
        assert_eq!(told(&stage).await, [last], "{first}");
    }
}

#[tokio::test]
async fn a_wish_that_took_the_place_of_another_can_be_taken_back() {
    let stage = stage().open().await;
    said(&stage, "From now on answer in German.", GERMAN).await;
    said(&stage, "From now on answer in English.", ENGLISH).await;
    let memory = found(&stage, ENGLISH).await.id;
    done(&stage, Command::UndoMemory { memory }).await;
    assert_eq!(told(&stage).await, [GERMAN]);
}

#[tokio::test]
async fn what_was_wanted_last_stays_when_a_wish_before_it_is_taken_back() {
    let stage = stage().open().await;
    said(&stage, "From now on answer in German.", GERMAN).await;
    said(&stage, "Never answer in German.", "Never answer in German").await;
    said(&stage, "From now on answer in English.", ENGLISH).await;
    let memory = found(&stage, "Never answer in German").await.id;
    done(&stage, Command::UndoMemory { memory }).await;
    assert_eq!(told(&stage).await, [ENGLISH]);
    done(&stage, Command::UndoMemory { memory }).await;
    assert_eq!(told(&stage).await, ["Never answer in German", ENGLISH]);
}

#[tokio::test]
async fn what_is_wanted_for_once_is_not_wanted_ever_after() {
    let stage = stage().open().await;
    said(&stage, "From now on answer in English.", ENGLISH).await;
    let group = stage.direct("Ada").await;
    for once in [
        "What is a fjord? Answer in German.",
        "Answer this in German.",
        "Translate it into German.",
    ] {
        stage.say(group, once).await;
    }
    // Whoever has heard this has heard what was said before it.
    said(&stage, "My name is Lin.", "The user's name is Lin").await;
    assert_eq!(told(&stage).await, [ENGLISH, "The user's name is Lin"]);
}

#[tokio::test]
async fn a_wish_that_is_over_is_in_no_prompt() {
    let stage = stage().open().await;
    said(&stage, "From now on answer in German.", GERMAN).await;
    let group = stage.direct("Ada").await;
    stage.clock.advance(Duration::from_secs(60));
    stage.say(group, "You don't have to answer in German anymore.").await;
    said(&stage, "My name is Lin.", "The user's name is Lin").await;
    assert_eq!(told(&stage).await, ["The user's name is Lin"]);
}

#[tokio::test]
async fn what_is_never_wanted_ends_the_wish_for_it_and_no_other() {
    let stage = stage().open().await;
    said(&stage, "From now on answer in German.", GERMAN).await;
    for other in ["Never answer in French", "Never answer in German when Bob asks"] {
        said(&stage, &format!("{other}."), other).await;
        assert!(holding(&stage).await.contains(&GERMAN.to_owned()), "{other}");
    }
    said(&stage, "Never answer in German.", "Never answer in German").await;
    let past = || MemoryFilter { standing: Standing::Past, ..MemoryFilter::default() };
    assert_eq!(list(&stage, past()).await, [GERMAN]);
    assert_eq!(holding(&stage).await.len(), 3);
    // Taken back, it is wanted again; and who wants it after all says so.
    let memory = found(&stage, "Never answer in German").await.id;
    done(&stage, Command::UndoMemory { memory }).await;
    assert!(holding(&stage).await.contains(&GERMAN.to_owned()));
    stage.clock.advance(Duration::from_secs(60));
    add(&stage, new("Never answer in German")).await;
    assert!(!holding(&stage).await.contains(&GERMAN.to_owned()));
    said(&stage, "Answer in German.", GERMAN).await;
    assert!(!holding(&stage).await.contains(&"Never answer in German".to_owned()));
    // What is not wanted any more ends as well.
    for (text, stop) in [
        ("From now on answer in English.", "Stop answering in English."),
        ("From now on answer in English.", "Don't answer in English any more."),
        ("From now on answer in English.", "もう英語で答えないで。"),
    ] {
        said(&stage, text, ENGLISH).await;
        let group = stage.direct("Ada").await;
        stage.clock.advance(Duration::from_secs(60));
        stage.say(group, stop).await;
        let ended = async |stage: &Stage| !holding(stage).await.contains(&ENGLISH.to_owned());
        stage.until(ended).await;
    }
}

#[tokio::test]
async fn of_two_wishes_that_nobody_can_compare_the_later_stands_last_and_the_prompt_says_so() {
    let stage = stage().open().await;
    let [rhyme, plain] = ["From now on, rhyme when you can", "From now on, never rhyme"];
    said(&stage, &format!("{rhyme}."), rhyme).await;
    said(&stage, &format!("{plain}."), plain).await;
    assert_eq!(told(&stage).await, [rhyme, plain]);
    let system = |stage: &Stage| stage.model.requests().pop().unwrap().turns.remove(0).content;
    let before = system(&stage);
    assert!(before.contains("the later one holds"), "{before}");
    told(&stage).await;
    assert_eq!(system(&stage), before, "what nobody has said again stays where it is");
    // Pinning says nothing anew.
    let memory = found(&stage, rhyme).await.id;
    done(&stage, Command::PinMemory { memory, pinned: true }).await;
    assert_eq!(told(&stage).await, [rhyme, plain]);
    // Said again, it is the later one.
    let group = stage.direct("Ada").await;
    stage.clock.advance(Duration::from_secs(60));
    stage.say(group, &format!("{rhyme}.")).await;
    stage.until(async |stage: &Stage| detail(stage, memory).await.memory.evidence == 2).await;
    assert_eq!(told(&stage).await, [plain, rhyme]);
    // And that can be taken back.
    done(&stage, Command::UndoMemory { memory }).await;
    assert_eq!(told(&stage).await, [rhyme, plain]);
}

#[tokio::test]
async fn what_is_put_into_other_words_is_said_when_it_is_put_so() {
    let stage = stage().open().await;
    let memory = add(&stage, wants("Rhymes are welcome")).await.id;
    stage.clock.advance(Duration::from_secs(60));
    add(&stage, wants("Prose is best")).await;
    stage.clock.advance(Duration::from_secs(60));
    let patch = MemoryPatch { importance: Some(90), ..MemoryPatch::default() };
    done(&stage, Command::EditMemory { memory, patch }).await;
    assert_eq!(told(&stage).await, ["Rhymes are welcome", "Prose is best"]);
    let patch = MemoryPatch { text: Some("Rhymes are a must".into()), ..MemoryPatch::default() };
    done(&stage, Command::EditMemory { memory, patch }).await;
    assert_eq!(told(&stage).await, ["Prose is best", "Rhymes are a must"]);
}

#[tokio::test]
async fn what_is_written_down_by_hand_counts_as_if_it_had_been_said() {
    let stage = stage().open().await;
    said(&stage, "From now on answer in German. I live in Rome.", GERMAN).await;
    stage.clock.advance(Duration::from_secs(60));
    let english = add(&stage, new("Answer in English")).await;
    assert_eq!(english.kind, MemoryKind::Preference, "it is told in every prompt");
    assert_eq!(told(&stage).await, ["The user lives in Rome", "Answer in English"]);
    add(&stage, new("Lives in Porto")).await;
    assert_eq!(holding(&stage).await, ["Lives in Porto", "Answer in English"]);
    // Said in words, it takes the place of what was written too.
    said(&stage, "我住在上海。", "用户住在上海").await;
    assert_eq!(holding(&stage).await, ["用户住在上海", "Answer in English"]);
    // What takes the place of a wish is told where that was.
    stage.clock.advance(Duration::from_secs(60));
    for text in [
        "The user wants to be answered in French",
        "The user would like to be answered in Dutch",
        "The user prefers answers in French",
    ] {
        stage.clock.advance(Duration::from_secs(60));
        add(&stage, new(text)).await;
        assert_eq!(told(&stage).await, ["用户住在上海", text]);
    }
}

#[tokio::test]
async fn a_correction_states_what_its_words_say() {
    let stage = stage().open().await;
    let german = add(&stage, wants("Answer in German")).await;
    said(&stage, "I live in Rome.", "The user lives in Rome").await;
    let note = add(&stage, new("Has a flat by the sea")).await.id;
    let put = |text: &str| MemoryPatch { text: Some(text.into()), ..MemoryPatch::default() };
    let edit = |memory, patch| Command::EditMemory { memory, patch };
    let edited = done(&stage, edit(german.id, put("Answer in English"))).await;
    assert_eq!(edited.statement.map(|one| one.value).as_deref(), Some("English"));
    stage.clock.advance(Duration::from_secs(60));
    // What is said after the correction takes its place.
    said(&stage, "From now on answer in French.", "The user wants to be answered in French").await;
    assert_eq!(detail(&stage, german.id).await.memory.state, {
        let french = found(&stage, "The user wants to be answered in French").await;
        MemoryState::Superseded(french.id)
    });
    // And a correction takes the place of what was said before it.
    stage.clock.advance(Duration::from_secs(60));
    done(&stage, edit(note, put("I live in Porto"))).await;
    let rome = found(&stage, "The user lives in Rome").await;
    assert_eq!(rome.state, MemoryState::Superseded(note));
    done(&stage, Command::UndoMemory { memory: note }).await;
    assert_eq!(detail(&stage, rome.id).await.memory.state, MemoryState::Current);
}

#[tokio::test]
async fn another_value_in_the_same_words_is_another_value_of_the_same_thing() {
    let stage = stage().open().await;
    let of_lin = |value: &str| {
        let [subject, attribute] = ["Lin", "office"].map(str::to_owned);
        let statement = Some(Statement { subject, attribute, value: value.into() });
        NewMemory { statement, ..new(&format!("Lin has her office in room {value}")) }
    };
    let memory = add(&stage, of_lin("12")).await.id;
    let text = Some("Lin has her office in room 15".to_owned());
    let patch = MemoryPatch { text, ..MemoryPatch::default() };
    let edited = done(&stage, Command::EditMemory { memory, patch }).await;
    assert_eq!(edited.statement, of_lin("15").statement);
    let moved = add(&stage, of_lin("9")).await.id;
    assert_eq!(detail(&stage, memory).await.memory.state, MemoryState::Superseded(moved));
}

#[tokio::test]
async fn what_somebody_says_that_a_memory_states_is_what_it_states() {
    let stage = stage().open().await;
    let statement = |value: &str| {
        let [subject, attribute] = ["Bo", "lives in"].map(str::to_owned);
        Some(Statement { subject, attribute, value: value.into() })
    };
    let given = NewMemory { statement: statement("Porto"), ..new("Lives in Porto") };
    let memory = add(&stage, given).await;
    assert_eq!(memory.statement, statement("Porto"));
    let patch = MemoryPatch {
        text: Some("Lives in Lisbon".into()),
        statement: statement("Lisbon, Alfama"),
        ..MemoryPatch::default()
    };
    let edited = done(&stage, Command::EditMemory { memory: memory.id, patch }).await;
    assert_eq!(edited.statement, statement("Lisbon, Alfama"));
    let kind = Some(MemoryKind::Fact);
    let patch =
        MemoryPatch { text: Some("Answer in German".into()), kind, ..MemoryPatch::default() };
    let edited = done(&stage, Command::EditMemory { memory: memory.id, patch }).await;
    assert_eq!(edited.kind, MemoryKind::Fact);
}

#[tokio::test]
async fn what_several_say_in_one_takes_the_place_of_what_it_contradicts() {
    let stage = stage().open().await;
    let first = add(&stage, wants("German is fine")).await.id;
    let second = add(&stage, wants("German is best")).await.id;
    said(&stage, "From now on answer in English.", ENGLISH).await;
    stage.clock.advance(Duration::from_secs(60));
    let (memories, text) = (vec![first, second], "Answer in German".to_owned());
    done(&stage, Command::MergeMemories { memories, text }).await;
    assert_eq!(told(&stage).await, ["Answer in German"]);
    done(&stage, Command::UndoMemory { memory: first }).await;
    assert_eq!(told(&stage).await.len(), 3);
    let versions = detail(&stage, first).await.versions;
    assert_eq!(versions.last().map(|version| version.change), Some(MemoryChange::Undone));
}

/// Written down by hand, with two things in it that plain words say.
const OF_TWO: [(&str, &str, [&str; 2]); 5] = [
    ("I live in Oslo", "I live in Rome and work at Fiat.", ["I live in Rome", "I work at Fiat"]),
    ("I live in Oslo", "I live in Rome. I work at Fiat.", ["I live in Rome", "I work at Fiat"]),
    (
        "I live in Oslo",
        "The user lives in Rome and works at Fiat",
        ["The user lives in Rome", "The user works at Fiat"],
    ),
    ("I live in Oslo", "I live in Rome and my name is Kim.", ["I live in Rome", "My name is Kim"]),
    (
        "Answer in German",
        "From now on answer in English and keep it short.",
        ["From now on answer in English", "From now on keep it short"],
    ),
];

#[tokio::test]
async fn two_things_that_are_written_down_at_once_are_remembered_as_two_as_where_they_are_said() {
    for (old, both, expected) in OF_TWO {
        let stage = stage().open().await;
        add(&stage, new(old)).await;
        stage.clock.advance(Duration::from_secs(60));
        let memory = NewMemory { tags: vec!["by hand".into()], ..new(both) };
        let Reply::Memories(page) = stage.do_(Command::AddMemory { memory }).await else {
            panic!("no memories")
        };
        let added: Vec<&str> = page.memories.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(added, expected, "{both}");
        assert!(page.memories.iter().all(|one| one.tags == ["by hand"]));
        let mut expected = expected.to_vec();
        expected.reverse();
        assert_eq!(holding(&stage).await, expected, "{both}");
        // Each is taken back by itself.
        done(&stage, Command::UndoMemory { memory: page.memories[0].id }).await;
        assert!(holding(&stage).await.contains(&old.to_owned()), "{both}");
    }
    let stage = stage().open().await;
    stage.do_(Command::AddMemory { memory: new(OF_TWO[4].1) }).await;
    assert_eq!(told(&stage).await.len(), 2, "both are in every prompt");
}

#[tokio::test]
async fn what_is_written_down_to_last_is_in_every_prompt() {
    for text in [
        "Never use emojis",
        "From now on show your sources",
        "Always cite sources",
        "以后不要用表情符号",
        "Don't suggest meat",
    ] {
        let stage = stage().open().await;
        let wish = add(&stage, new(text)).await;
        assert_eq!(wish.kind, MemoryKind::Preference, "{text}");
        assert_eq!(told(&stage).await, [text]);
    }
}

#[tokio::test]
async fn a_wish_that_is_said_in_one_with_a_fact_stays_in_every_prompt() {
    for (text, wish) in [
        ("I live in Oslo and answer in German", "Answer in German"),
        ("I live in Oslo, work at Statoil and answer in German", "Answer in German"),
        ("Home is Oslo; German, please!", "Answer in German"),
        ("I live in Oslo and never use salt", "Answer in German"),
    ] {
        let stage = stage().open().await;
        let oslo = add(&stage, new("I live in Oslo")).await.id;
        let german = add(&stage, new("Answer in German")).await.id;
        stage.clock.advance(Duration::from_secs(60));
        let command =
            Command::MergeMemories { memories: vec![oslo, german], text: text.to_owned() };
        stage.do_(command).await;
        assert!(told(&stage).await.contains(&wish.to_owned()), "{text}");
    }
    // What states nothing makes a wish of what it is said with.
    let stage = stage().open().await;
    let oslo = add(&stage, new("I live in Oslo")).await.id;
    let emojis = add(&stage, new("Never use emojis")).await.id;
    stage.clock.advance(Duration::from_secs(60));
    let text = "Oslo is home, emojis are not".to_owned();
    stage.do_(Command::MergeMemories { memories: vec![oslo, emojis], text: text.clone() }).await;
    assert_eq!(told(&stage).await, [text]);
}

#[tokio::test]
async fn every_wish_that_has_room_is_in_every_prompt_and_what_has_none_is_counted() {
    let stage = stage().open().await;
    let mut all = vec!["Never mention my ex again".to_owned()];
    all.extend((1..=20).map(|n| format!("Always end letters of sort {n} with a joke")));
    for text in &all {
        stage.clock.advance(Duration::from_secs(60));
        add(&stage, wants(text)).await;
    }
    assert_eq!(told(&stage).await, all);
    // More than there is room for: the prohibition stays, and it is said how many do not.
    for n in 21..=80 {
        stage.clock.advance(Duration::from_secs(60));
        let text = format!("Always end letters of sort {n} with a joke and {}", "so on ".repeat(9));
        add(&stage, NewMemory { importance: Some(90), ..wants(&text) }).await;
    }
    let told = told(&stage).await;
    assert_eq!(told.first(), all.first());
    let system = stage.model.requests().pop().unwrap().turns.remove(0).content;
    let left_out = format!("({} more have no room here)", 81 - told.len());
    assert!(system.contains(&left_out), "{left_out}: {system}");
}
