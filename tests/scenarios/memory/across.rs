//! What a person says reaches what agents keep for themselves and for a group, and what agents
//! keep waits beside the person's word that they read.

use super::deciding::{found, holding, judged, standings, undone, waiting};
use super::{add, done, list, new, stating};
use domain::{
    Command, GroupId, Judgement, Memory, MemoryFilter, MemoryId, MemoryPatch, MemoryScope,
    MemoryState, NewMemory, Query, Reply, Standing, Trust,
};
use llm::scripted::{Beat, Scripted};
use llm::{Role, ToolCallDelta};
use proptest::prelude::*;
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use tests::{Stage, stage};

const ROME: &str = "The user lives in Rome";
const MILAN: &str = "The user lives in Milan";
const SHELLFISH: &str = "The user is allergic to shellfish";

/// Saves what stands behind *Keep:*, or *Share:* for all in the conversation.
fn keeping() -> Scripted {
    Scripted::from_fn(|request, _| {
        let asked = request.turns.iter().rfind(|turn| turn.role == Role::User);
        let told = asked.map_or("", |turn| turn.content.as_str());
        let is_done = request.turns.last().is_some_and(|turn| turn.role == Role::Tool);
        let line = |mark: &str| {
            told.lines().rev().find_map(|line| line.split_once(mark)).map(|(_, text)| text.trim())
        };
        let input = match (line("Keep:"), line("Share:")) {
            (Some(text), _) => json!({ "text": text }),
            (None, Some(text)) => json!({ "text": text, "for": "conversation" }),
            (None, None) => return vec![Beat::Text("Good.".into())],
        };
        if is_done {
            return vec![Beat::Text("Good.".into())];
        }
        let (name, arguments) = (Some("memory_save".into()), input.to_string());
        vec![Beat::ToolCall(ToolCallDelta { id: "c1".into(), name, arguments })]
    })
}

pub(super) async fn open() -> (Stage, GroupId) {
    let prepare = |data: &Path| {
        let soul = "---\nname: Ada\ntools: [\"*\"]\n---\nYou help.\n";
        std::fs::create_dir_all(data.join("souls")).expect("a folder");
        std::fs::write(data.join("souls/ada.md"), soul).expect("a soul");
    };
    let stage = stage().before(prepare).model(keeping()).open().await;
    let ada = stage.direct("Ada").await;
    (stage, ada)
}

/// Ada saves it.
pub(super) async fn kept(stage: &Stage, ada: GroupId, text: &str) {
    stage.clock.advance(Duration::from_secs(60));
    stage.say(ada, &format!("Keep: {text}")).await;
}

async fn added(stage: &Stage, memory: NewMemory) -> MemoryId {
    stage.clock.advance(Duration::from_secs(60));
    add(stage, memory).await.id
}

async fn edited(stage: &Stage, text: &str, to: &str) {
    stage.clock.advance(Duration::from_secs(60));
    let patch = MemoryPatch { text: Some(to.into()), ..MemoryPatch::default() };
    let memory = found(stage, text).await;
    done(stage, Command::EditMemory { memory, patch }).await;
}

/// Says it, and waits until it is noticed.
async fn said(stage: &Stage, group: GroupId, words: &str) {
    stage.clock.advance(Duration::from_secs(60));
    stage.say(group, words).await;
    stage.say(group, "My favourite colour is green.").await;
    let green = "The user's favourite colour is green".to_owned();
    stage.until(async |stage: &Stage| holding(stage).await.contains(&green)).await;
}

async fn sorted(stage: &Stage) -> Vec<String> {
    let mut holding = holding(stage).await;
    holding.retain(|text| !text.contains("green"));
    holding.sort();
    holding
}

#[tokio::test]
async fn what_an_agent_keeps_gives_way_to_what_a_person_says_otherwise() {
    for words in ["I moved to Milan.", "I live in Milan."] {
        let (stage, ada) = open().await;
        kept(&stage, ada, ROME).await;
        said(&stage, ada, words).await;
        assert_eq!(sorted(&stage).await, [MILAN], "{words}");
        undone(&stage, MILAN).await;
        assert_eq!(sorted(&stage).await, [ROME], "{words}");
        undone(&stage, MILAN).await;
        assert_eq!(sorted(&stage).await, [MILAN], "{words}");
        undone(&stage, ROME).await;
        assert_eq!(sorted(&stage).await, [ROME], "{words}");
    }
    // Also what is kept for a group, and what is written down.
    let (stage, ada) = open().await;
    stage.say(ada, &format!("Share: {ROME}")).await;
    assert_eq!(sorted(&stage).await, [ROME]);
    added(&stage, new("I live in Milan")).await;
    assert_eq!(sorted(&stage).await, ["I live in Milan"]);
}

#[tokio::test]
async fn what_an_agent_keeps_ends_with_what_a_person_says_is_over() {
    for words in ["I no longer live in Rome.", "I used to live in Rome."] {
        let (stage, ada) = open().await;
        kept(&stage, ada, ROME).await;
        said(&stage, ada, words).await;
        assert_eq!(sorted(&stage).await, [""; 0], "{words}");
        kept(&stage, ada, ROME).await;
        assert_eq!(waiting(&stage).await, [ROME], "{words}");
    }
    let (stage, ada) = open().await;
    kept(&stage, ada, "The user works at Acme").await;
    added(&stage, new("I quit my job")).await;
    assert_eq!(sorted(&stage).await, ["I quit my job"]);
    undone(&stage, "I quit my job").await;
    assert_eq!(sorted(&stage).await, ["The user works at Acme"]);
}

#[tokio::test]
async fn what_an_agent_keeps_against_a_persons_word_waits() {
    for (word, kept_of_it) in
        [("I live in Milan", ROME), ("I am not allergic to shellfish", SHELLFISH)]
    {
        for share in [false, true] {
            let (stage, ada) = open().await;
            added(&stage, new(word)).await;
            let how = if share { "Share" } else { "Keep" };
            stage.say(ada, &format!("{how}: {kept_of_it}")).await;
            assert_eq!(sorted(&stage).await, [word]);
            assert_eq!(waiting(&stage).await, [kept_of_it]);
            let result = stage.model.requests().pop().expect("it was asked");
            let result = result.turns.into_iter().rfind(|turn| turn.role == Role::Tool);
            assert!(result.expect("a result").content.contains("kept beside one that says"));
        }
    }
    // What the person corrects is their word, too.
    let (stage, ada) = open().await;
    added(&stage, new(ROME)).await;
    edited(&stage, ROME, MILAN).await;
    kept(&stage, ada, ROME).await;
    assert_eq!(
        (sorted(&stage).await, waiting(&stage).await),
        (vec![MILAN.into()], vec![ROME.into()])
    );
}

#[tokio::test]
async fn what_waits_for_another_scope_is_decided_like_all_that_waits() {
    let open = async || {
        let (stage, ada) = open().await;
        added(&stage, stating("lives in", "Milan")).await;
        kept(&stage, ada, ROME).await;
        let before = standings(&stage).await;
        assert_eq!(before, [format!("{MILAN} holds"), format!("{ROME} against {MILAN}")]);
        (stage, before)
    };
    let decisions: [(&str, Judgement, &[&str]); 4] = [
        (ROME, Judgement::Right, &[ROME]),
        (ROME, Judgement::Wrong, &[MILAN]),
        (MILAN, Judgement::Right, &[MILAN]),
        (MILAN, Judgement::Wrong, &[]),
    ];
    for (of, judgement, holds) in decisions {
        let (stage, before) = open().await;
        judged(&stage, of, judgement).await;
        assert_eq!(sorted(&stage).await, holds, "{of} {judgement:?}");
        undone(&stage, of).await;
        assert_eq!(standings(&stage).await, before, "{of} {judgement:?}");
    }
    // A correction that says it settles it.
    let (stage, before) = open().await;
    edited(&stage, MILAN, "I live in Rome").await;
    assert_eq!(sorted(&stage).await, ["I live in Rome", ROME]);
    undone(&stage, "I live in Rome").await;
    assert_eq!(standings(&stage).await, before);
    // It waits beside what takes the place of that.
    added(&stage, stating("lives in", "Oslo")).await;
    assert!(standings(&stage).await.contains(&format!("{ROME} against The user lives in Oslo")));
    // Who forgets what it contradicts is asked no more.
    let memory = found(&stage, "The user lives in Oslo").await;
    done(&stage, Command::ForgetMemory { memory }).await;
    assert_eq!((sorted(&stage).await, waiting(&stage).await), (vec![ROME.into()], vec![]));
}

#[tokio::test]
async fn what_gave_way_in_another_scope_comes_back_with_its_reason() {
    let ways: [(&str, &[&str]); 3] = [
        ("", &[ROME]),
        ("I live in Rome", &["I live in Rome"]),
        ("I like tea", &["I like tea", ROME]),
    ];
    for (to, holds) in ways {
        let (stage, ada) = open().await;
        kept(&stage, ada, ROME).await;
        added(&stage, stating("lives in", "Milan")).await;
        let before = standings(&stage).await;
        match to {
            "" => judged(&stage, MILAN, Judgement::Wrong).await,
            to => edited(&stage, MILAN, to).await,
        }
        assert_eq!(sorted(&stage).await, holds);
        undone(&stage, if to.is_empty() { MILAN } else { to }).await;
        assert_eq!(standings(&stage).await, before, "{to}");
    }
}

#[tokio::test]
async fn what_was_said_again_waits_no_more_once_it_is_wrong_no_more() {
    let (stage, ada) = open().await;
    added(&stage, stating("lives in", "Rome")).await;
    judged(&stage, ROME, Judgement::Wrong).await;
    kept(&stage, ada, ROME).await;
    assert_eq!(waiting(&stage).await, [ROME]);
    let wrong = list(&stage, MemoryFilter { standing: Standing::Past, ..MemoryFilter::default() });
    assert_eq!(wrong.await, [ROME]);
    let filter = MemoryFilter {
        scopes: vec![MemoryScope::User],
        standing: Standing::Any,
        ..MemoryFilter::default()
    };
    let memory = super::look(&stage, "Rome", filter).await.hits.remove(0).memory.id;
    done(&stage, Command::UndoMemory { memory }).await;
    assert_eq!(
        (sorted(&stage).await, waiting(&stage).await),
        (vec![ROME.into(), ROME.into()], vec![])
    );
}

#[tokio::test]
async fn what_a_person_tells_one_agent_changes_nothing_that_others_read() {
    let (stage, ada) = open().await;
    let owner = stage.overview().await.agents[0].id;
    kept(&stage, ada, "The user works at Acme").await;
    stage.say(ada, &format!("Share: {ROME}")).await;
    let milan = new("I live in Milan");
    added(&stage, NewMemory { scope: MemoryScope::Agent(owner), ..milan }).await;
    assert_eq!(sorted(&stage).await, ["I live in Milan", ROME, "The user works at Acme"]);
    // What Ada keeps for the group after that waits: Ada has read it.
    stage.say(ada, "Share: The user lives in Oslo").await;
    assert_eq!(waiting(&stage).await, ["The user lives in Oslo"]);
}

/// What somebody does with the nth memory.
#[derive(Debug, Clone)]
enum Act {
    Judge(usize, Judgement),
    Edit(usize, &'static str),
}

const SAYS: [&str; 4] = [ROME, MILAN, "The user lives in Oslo", "I like tea"];

fn any_act() -> impl Strategy<Value = Act> {
    let judgement =
        prop_oneof![Just(Judgement::Right), Just(Judgement::Wrong), Just(Judgement::Outdated)];
    prop_oneof![
        (0..8_usize, judgement).prop_map(|(nth, how)| Act::Judge(nth, how)),
        (0..8_usize, prop::sample::select(&SAYS[..])).prop_map(|(nth, to)| Act::Edit(nth, to)),
    ]
}

/// All of them, but for how often and when they were changed.
async fn all(stage: &Stage) -> Vec<Memory> {
    let filter = MemoryFilter { standing: Standing::Any, ..MemoryFilter::default() };
    let Ok(Reply::Memories(page)) =
        stage.query(Query::Memories { filter, before: None, limit: 100 }).await
    else {
        panic!("no memories")
    };
    let mut all = page.memories;
    all.sort_by_key(|one| (one.created_at_ms, one.id));
    all
}

/// How each stands, and to which other.
async fn standing(stage: &Stage) -> Vec<String> {
    let all = all(stage).await;
    let nth = |id: MemoryId| all.iter().position(|one| one.id == id).unwrap_or_default();
    let told = all.iter().enumerate().map(|(n, one)| {
        let Memory { text, trust, valid_to_ms, .. } = one;
        let whose = if one.scope == MemoryScope::User { "for all" } else { "for Ada" };
        let state = match one.state {
            MemoryState::Superseded(by) => format!("behind {}", nth(by)),
            MemoryState::Contested(with) => format!("against {}", nth(with)),
            other => format!("{other:?}"),
        };
        format!("{n} {whose}: {text} ({trust:?}, {state}, until {valid_to_ms:?})")
    });
    told.collect()
}

/// Which memory somebody named; nothing where they were refused, or changed nothing.
async fn act(stage: &Stage, act: &Act) -> Option<MemoryId> {
    stage.clock.advance(Duration::from_secs(60));
    let all = all(stage).await;
    let nth = |nth: &usize| all[nth % all.len()].id;
    let command = match act {
        Act::Judge(n, judgement) => Command::JudgeMemory { memory: nth(n), judgement: *judgement },
        Act::Edit(n, to) => {
            let patch = MemoryPatch { text: Some((*to).into()), ..MemoryPatch::default() };
            Command::EditMemory { memory: nth(n), patch }
        }
    };
    let Ok(Reply::Memory(memory)) = stage.command(command).await else { return None };
    let version = all.iter().find(|one| one.id == memory.id).map(|one| one.version);
    (version != Some(memory.version)).then_some(memory.id)
}

/// Nothing that an agent keeps holds against what a person has said to all.
async fn nothing_holds_against_a_word(stage: &Stage) {
    let now = workspace::Clock::now_ms(&*stage.clock);
    let mut holding = all(stage).await;
    holding.retain(|one| {
        let lives = one.statement.as_ref().is_some_and(|said| said.attribute == "lives in");
        let has_ended = one.valid_to_ms.is_some_and(|end| end <= now);
        lives && one.state == MemoryState::Current && !has_ended
    });
    let place = |one: &Memory| one.statement.clone().map(|said| said.value);
    for word in holding.iter().filter(|one| one.scope == MemoryScope::User) {
        for kept in holding.iter().filter(|one| one.trust == Trust::Agent) {
            assert_eq!(place(word), place(kept), "what holds for all, and what is kept");
        }
    }
}

/// Does all of it beside what a person has said and an agent keeps, and takes it back, the last
/// first.
async fn all_is_taken_back(acts: &[Act]) {
    let (stage, ada) = open().await;
    kept(&stage, ada, ROME).await;
    added(&stage, new("I live in Milan")).await;
    for place in ["Milan", "Oslo"] {
        kept(&stage, ada, &format!("The user lives in {place}")).await;
    }
    let mut done = Vec::new();
    for one in acts {
        let before = standing(&stage).await;
        if let Some(memory) = act(&stage, one).await {
            done.push((one, memory, before));
        }
        nothing_holds_against_a_word(&stage).await;
    }
    for (one, memory, before) in done.into_iter().rev() {
        stage.clock.advance(Duration::from_secs(60));
        stage.command(Command::UndoMemory { memory }).await.expect("it is taken back");
        assert_eq!(standing(&stage).await, before, "{one:?} is taken back");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_decided_across_scopes_and_taken_back_all_stands_as_before(
        acts in prop::collection::vec(any_act(), 1..7)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(all_is_taken_back(&acts));
    }
}

#[tokio::test]
async fn what_was_called_right_for_one_agent_stays_so_when_a_correction_for_all_is_taken_back() {
    use Act::{Edit, Judge};
    use Judgement::Right;
    all_is_taken_back(&[Judge(2, Right), Judge(3, Right), Edit(1, ROME)]).await;
}

#[tokio::test]
async fn what_an_agent_keeps_by_the_name_that_a_person_has_said_is_of_the_person() {
    let (stage, ada) = open().await;
    said(&stage, ada, "My name is Kim").await;
    kept(&stage, ada, "Kim lives in Rome").await;
    let name = "The user's name is Kim";
    assert_eq!(sorted(&stage).await, ["Kim lives in Rome", name]);
    said(&stage, ada, "I live in Milan.").await;
    assert_eq!(sorted(&stage).await, [MILAN, name]);
}
