//! Conversations that are put away, and brought back.

use domain::{Command, GroupId, GroupPatch, Outcome, Reason, RunState, TurnPolicy};
use llm::scripted::{Beat, Gate, Scripted};
use tests::{Stage, speaker, stage, thought};

async fn archive(stage: &Stage, group: GroupId, archived: bool) {
    let patch = GroupPatch { archived: Some(archived), ..GroupPatch::default() };
    stage.do_(Command::EditGroup { group, patch }).await;
}

/// The first answer waits at the gate; everybody says something new.
fn held(gate: &Gate) -> Scripted {
    let gate = gate.clone();
    Scripted::from_fn(move |request, n| {
        let words = Beat::Text(format!("{}: {}", speaker(request), thought(n)));
        if n == 1 { vec![Beat::Gate(gate.clone()), words] } else { vec![words] }
    })
}

#[tokio::test]
async fn nobody_answers_what_waits_in_a_conversation_that_is_put_away() {
    let gate = Gate::new();
    let stage = stage().model(held(&gate)).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.post(stage.direct("Bo").await, "take your time").await;
    stage.model.asked(1).await;
    stage.post(group, "@Bo hello").await;
    archive(&stage, group, true).await;
    gate.open();
    stage.quiet().await;
    assert_eq!(stage.decisions(group).await.pop().as_deref(), Some("Bo pass archived"));
    assert_eq!(stage.model.requests().len(), 1, "nobody is asked there");
    // Nor when it is back, until a person says something.
    archive(&stage, group, false).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(group).await, ["you: @Bo hello"]);
    stage.say(group, "@Bo hello again").await;
    assert_eq!(stage.transcript(group).await.len(), 3);
}

#[tokio::test]
async fn who_speaks_in_a_conversation_that_is_put_away_is_stopped_and_nobody_goes_on() {
    let gate = Gate::new();
    let stage = stage().model(held(&gate)).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Rounds).await;
    stage.post(group, "what do you think?").await;
    stage.model.asked(1).await;
    archive(&stage, group, true).await;
    stage.quiet().await;
    gate.open();
    let run = stage.runs().await.remove(0);
    assert_eq!(run.state, RunState::Stopped);
    assert_eq!(run.outcome, Some(Outcome::Silent { reason: Reason::Archived }));
    archive(&stage, group, false).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(group).await, ["you: what do you think?"]);
    assert_eq!(stage.model.requests().len(), 1);
}

/// A turn that rests is over too, with what it had begun.
#[tokio::test]
async fn who_is_resumed_takes_nothing_up_where_nobody_answers() {
    let gate = Gate::new();
    let stage = stage().model(held(&gate)).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Rounds).await;
    stage.post(group, "what do you think?").await;
    stage.model.asked(1).await;
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    stage.quiet().await;
    archive(&stage, group, true).await;
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    assert_eq!(stage.model.requests().len(), 1);
    assert_eq!(stage.decisions(group).await.pop().as_deref(), Some("Ada pass archived"));
}
