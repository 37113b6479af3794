//! What a person has said is not so does not hold again because somebody else repeats it.

use super::{add, detail, done, list, look, new, stating};
use domain::{
    Command, Judgement, Memory, MemoryFilter, MemoryId, MemoryPatch, MemoryState, ModelInfo,
    ModelRole, Provider, ProviderKind, Standing,
};
use llm::scripted::{Beat, Scripted};
use llm::{ModelRequest, Role, ToolCallDelta};
use serde_json::json;
use std::path::Path;
use tests::{Stage, stage};

const ROME: &str = "The user lives in Rome";

fn looks_back(request: &ModelRequest) -> bool {
    request.turns[0].content.starts_with("You decide what")
}

/// Saves it when told to keep it, and proposes it when it looks back.
fn insisting() -> Scripted {
    Scripted::from_fn(|request, _| {
        let asked = request.turns.iter().rfind(|turn| turn.role == Role::User);
        let is_told = asked.is_some_and(|turn| turn.content.ends_with("Keep that."));
        let is_done = request.turns.last().is_some_and(|turn| turn.role == Role::Tool);
        if looks_back(request) {
            let memory = json!({
                "kind": "fact", "about": "person", "text": "The person has a home in Rome",
                "subject": "user", "attribute": "lives in", "value": "rome",
                "importance": 90, "from": [1],
            });
            return vec![Beat::Text(json!({ "memories": [memory] }).to_string())];
        }
        match is_told && !is_done {
            true => vec![Beat::ToolCall(ToolCallDelta {
                id: "c1".into(),
                name: Some("memory_save".into()),
                arguments: json!({ "text": ROME }).to_string(),
            })],
            false => vec![Beat::Text("Good.".into())],
        }
    })
}

async fn open() -> Stage {
    let prepare = |data: &Path| {
        let soul = "---\nname: Ada\ntools: [\"*\"]\n---\nYou help.\n";
        std::fs::create_dir_all(data.join("souls")).expect("a folder");
        std::fs::write(data.join("souls/ada.md"), soul).expect("a soul");
    };
    stage().before(prepare).model(insisting()).open().await
}

async fn with_fast_model(stage: &Stage) {
    let info = |name: &str| ModelInfo::new(name, Some(32_000));
    let provider = Provider {
        name: "test".into(),
        kind: ProviderKind::Scripted,
        base_url: None,
        key_env: None,
        key: None,
        models: vec![info("script"), info("fast")],
    };
    stage.do_(Command::save_provider(provider)).await;
    stage.do_(Command::UseModel { role: ModelRole::Fast, model: "test/fast".into() }).await;
}

async fn judged(stage: &Stage, memory: MemoryId, judgement: Judgement) -> Memory {
    done(stage, Command::JudgeMemory { memory, judgement }).await
}

fn standing(standing: Standing) -> MemoryFilter {
    MemoryFilter { standing, ..MemoryFilter::default() }
}

async fn waiting(stage: &Stage) -> Vec<String> {
    list(stage, standing(Standing::Contested)).await
}

async fn holding(stage: &Stage) -> Vec<String> {
    list(stage, standing(Standing::Holding)).await
}

#[tokio::test]
async fn what_an_agent_repeats_waits_and_is_in_no_prompt() {
    for judgement in [Judgement::Wrong, Judgement::Outdated] {
        let stage = open().await;
        let rome = add(&stage, stating("lives in", "Rome")).await.id;
        judged(&stage, rome, judgement).await;
        let ada = stage.direct("Ada").await;
        for _ in 0..2 {
            stage.say(ada, "Keep that.").await;
        }
        assert_eq!(waiting(&stage).await, [ROME], "said twice, it waits once");
        assert!(holding(&stage).await.is_empty());
        stage.say(ada, "Where does the user live, in Rome?").await;
        let sent = stage.model.requests().pop().expect("it was asked");
        let told = sent.turns.iter().filter(|turn| turn.role != Role::Assistant);
        let reminded = told.flat_map(|turn| turn.content.lines());
        let reminded: Vec<&str> =
            reminded.filter(|line| line.starts_with("  - ") && line.contains("Rome")).collect();
        assert!(reminded.is_empty(), "{reminded:?}");
        let result = sent.turns.iter().rfind(|turn| turn.role == Role::Tool).expect("a result");
        assert!(result.content.contains("the person has said that it is not so"), "{result:?}");
    }
}

#[tokio::test]
async fn what_is_written_down_to_be_over_waits_where_an_agent_repeats_it() {
    for held in [Some("I live in Rome"), None] {
        let stage = open().await;
        if let Some(held) = held {
            add(&stage, new(held)).await;
        }
        add(&stage, new("I no longer live in Rome")).await;
        let ada = stage.direct("Ada").await;
        stage.say(ada, "Keep that.").await;
        assert_eq!(waiting(&stage).await, [ROME], "{held:?}");
        assert_eq!(holding(&stage).await, ["I no longer live in Rome"], "{held:?}");
    }
}

#[tokio::test]
async fn what_is_seen_looking_back_waits_too() {
    let stage = open().await;
    with_fast_model(&stage).await;
    let rome = add(&stage, stating("lives in", "Rome")).await.id;
    judged(&stage, rome, Judgement::Wrong).await;
    let ada = stage.direct("Ada").await;
    for text in ["What of the mill?", "Who runs it?", "And what of it?"] {
        stage.say(ada, text).await;
    }
    let text = "The person has a home in Rome";
    stage.until(async |stage: &Stage| !waiting(stage).await.is_empty()).await;
    assert_eq!(waiting(&stage).await, [text]);
    assert!(holding(&stage).await.is_empty());
}

#[tokio::test]
async fn a_person_who_says_it_themselves_has_it_hold_again() {
    for judgement in [Judgement::Wrong, Judgement::Outdated] {
        let stage = open().await;
        let ada = stage.direct("Ada").await;
        stage.say(ada, "I live in Rome.").await;
        stage.until(async |stage: &Stage| holding(stage).await == [ROME]).await;
        let first = look(&stage, "Rome", MemoryFilter::default()).await.hits.remove(0).memory.id;
        judged(&stage, first, judgement).await;
        assert!(holding(&stage).await.is_empty());
        stage.say(ada, "I live in Rome.").await;
        stage.until(async |stage: &Stage| holding(stage).await == [ROME]).await;
        stage.say(ada, "Keep that.").await;
        assert!(waiting(&stage).await.is_empty(), "their last word is that it is so");
    }
}

#[tokio::test]
async fn who_is_judged_right_after_all_is_denied_no_more() {
    let stage = open().await;
    let rome = add(&stage, new(ROME)).await.id;
    judged(&stage, rome, Judgement::Wrong).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Keep that.").await;
    let again = look(&stage, "Rome", standing(Standing::Contested)).await.hits.remove(0).memory.id;
    judged(&stage, again, Judgement::Right).await;
    assert_eq!(holding(&stage).await, [ROME]);
    assert_eq!(detail(&stage, rome).await.memory.state, MemoryState::Superseded(again));
    stage.say(ada, "Keep that.").await;
    assert!(waiting(&stage).await.is_empty());
}

#[tokio::test]
async fn forgetting_what_was_never_so_does_not_make_it_so() {
    let stage = open().await;
    let rome = add(&stage, stating("lives in", "Rome")).await.id;
    judged(&stage, rome, Judgement::Wrong).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Keep that.").await;
    done(&stage, Command::ForgetMemory { memory: rome }).await;
    assert!(holding(&stage).await.is_empty() && waiting(&stage).await.is_empty());
    let left = list(&stage, standing(Standing::Any)).await;
    assert_eq!(left, ["", ""], "both say the same, and both are gone");
}

#[tokio::test]
async fn what_an_agent_keeps_of_a_persons_word_goes_the_way_of_that() {
    let rome = || async {
        let stage = open().await;
        let rome = add(&stage, stating("lives in", "Rome")).await.id;
        let ada = stage.direct("Ada").await;
        stage.say(ada, "Keep that.").await;
        assert_eq!(holding(&stage).await, [ROME, ROME], "the person's, and what Ada keeps");
        (stage, rome)
    };
    for judgement in [Judgement::Wrong, Judgement::Outdated] {
        let (stage, rome) = rome().await;
        judged(&stage, rome, judgement).await;
        assert!(holding(&stage).await.is_empty(), "{judgement:?}");
        done(&stage, Command::UndoMemory { memory: rome }).await;
        assert_eq!(holding(&stage).await, [ROME, ROME], "{judgement:?}");
    }
    let (stage, memory) = rome().await;
    stage.do_(Command::ForgetMemory { memory }).await;
    assert!(list(&stage, standing(Standing::Any)).await.iter().all(String::is_empty));

    // Also where the copy has given way with it already.
    let (stage, memory) = rome().await;
    let oslo = add(&stage, stating("lives in", "Oslo")).await.text;
    stage.do_(Command::ForgetMemory { memory }).await;
    let mut left = list(&stage, standing(Standing::Any)).await;
    left.retain(|text| !text.is_empty());
    assert_eq!(left, [oslo]);

    // A correction is another word too, alone or for several at once.
    for merges in [false, true] {
        let (stage, memory) = rome().await;
        let text = "I am retired".to_owned();
        let corrected = if merges {
            let other = add(&stage, new("There is more to say of it")).await.id;
            let memories = vec![memory, other];
            done(&stage, Command::MergeMemories { memories, text }).await
        } else {
            let patch = MemoryPatch { text: Some(text), ..MemoryPatch::default() };
            done(&stage, Command::EditMemory { memory, patch }).await
        };
        assert_eq!(holding(&stage).await, ["I am retired"], "merged: {merges}");
        done(&stage, Command::UndoMemory { memory: corrected.id }).await;
        let mut back = holding(&stage).await;
        back.retain(|text| text == ROME);
        assert_eq!(back, [ROME, ROME], "merged: {merges}");
    }

    let (stage, _) = rome().await;
    let oslo = add(&stage, stating("lives in", "Oslo")).await;
    assert_eq!(holding(&stage).await, std::slice::from_ref(&oslo.text));
    done(&stage, Command::UndoMemory { memory: oslo.id }).await;
    assert_eq!(holding(&stage).await, [ROME, ROME], "both are back");
}
