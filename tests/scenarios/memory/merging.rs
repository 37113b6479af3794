//! What has ended and what holds, said in one: neither comes back nor ends by that.

use super::parting::{changed, holding, written};
use super::{detail, done};
use domain::{Command, FaultCode, Judgement, MemoryId, MemoryState};
use tests::{Stage, stage};

async fn refused(stage: &Stage, memories: Vec<MemoryId>, text: &str) {
    let before = holding(stage).await;
    let merge = Command::MergeMemories { memories, text: text.to_owned() };
    let fault = stage.command(merge).await.expect_err("it is refused");
    assert_eq!(fault.code, FaultCode::Refused);
    assert!(!fault.fix.is_empty());
    assert_eq!(holding(stage).await, before, "nothing has changed");
}

#[tokio::test]
async fn what_has_ended_does_not_hold_again_by_being_said_in_one_with_what_holds() {
    let stage = stage().open().await;
    let oslo = written(&stage, "I live in Oslo").await[0].id;
    let bergen = written(&stage, "I live in Bergen").await[0].id;
    for text in ["", "I live in Oslo", "I live in Oslo, in the centre"] {
        refused(&stage, vec![oslo, bergen], text).await;
    }
    // What holds goes on saying it.
    let merge = Command::MergeMemories { memories: vec![bergen, oslo], text: String::new() };
    let merged = done(&stage, merge).await;
    assert_eq!((merged.id, merged.valid_to_ms), (bergen, None));
    assert_eq!(holding(&stage).await, ["I live in Bergen"]);
    changed(&stage, Command::UndoMemory { memory: bergen }).await;
    assert_eq!(detail(&stage, oslo).await.memory.state, MemoryState::Superseded(bergen));
    let words = "I live in Bergen by the fjord";
    let merge = Command::MergeMemories { memories: vec![oslo, bergen], text: words.into() };
    changed(&stage, merge).await;
    assert_eq!(holding(&stage).await, [words]);
}

#[tokio::test]
async fn what_was_never_so_is_not_so_because_two_say_it() {
    let stage = stage().open().await;
    let mut never = Vec::new();
    for text in ["Has a cat", "Has a black cat"] {
        let memory = written(&stage, text).await[0].id;
        changed(&stage, Command::JudgeMemory { memory, judgement: Judgement::Wrong }).await;
        never.push(memory);
    }
    refused(&stage, never.clone(), "Has a black cat").await;
    let dog = written(&stage, "Has a dog").await[0].id;
    refused(&stage, vec![never[0], dog], "").await;
}
