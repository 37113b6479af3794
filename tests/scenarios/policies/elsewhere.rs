//! Turns of agents that have something else to do first, and what becomes of them
//! meanwhile.

use super::*;
use domain::{Author, Reason};
use llm::{ModelFault, Trouble};

/// What the first one says waits at the gate; everybody says something new.
async fn with_one_busy(name: &str) -> (Stage, Gate) {
    let (script, gate) = has_thoughts_but_waits_at_first();
    let stage = stage().model(script).open().await;
    is_busy(&stage, name).await;
    (stage, gate)
}

/// It works in its direct chat, so what it is given in groups waits.
async fn is_busy(stage: &Stage, name: &str) {
    stage.post(stage.direct(name).await, "take your time").await;
    stage.model.asked(1).await;
}

/// Who is named waits at the gate and cannot answer at all; the others can.
fn has_no_key(name: &'static str, gate: &Gate) -> Scripted {
    let gate = gate.clone();
    Scripted::from_fn(move |request, n| match speaker(request) == name {
        true => {
            let fault = ModelFault::new(Trouble::Key, "no key", "add one");
            vec![Beat::Gate(gate.clone()), Beat::Fail(fault)]
        }
        false => vec![Beat::Text(thought(n).into())],
    })
}

#[tokio::test]
async fn rounds_go_on_without_one_who_fails_elsewhere() {
    let gate = Gate::new();
    let stage = stage().model(has_no_key("Ada", &gate)).open().await;
    let group = stage.group(&["Ada", "Bo", "Ines"], TurnPolicy::Rounds).await;
    let named = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    is_busy(&stage, "Ada").await;
    stage.post(group, "what do you think?").await;
    stage.post(named, "@Ada, and you?").await;
    gate.open();
    stage.quiet().await;
    let who = speakers(&stage, group).await;
    assert_eq!(who, ["you", "Bo", "Ines", "Bo", "Ines", "Bo", "Ines"]);
    let decided = stage.decisions(group).await;
    assert_eq!(decided[3..5], ["Ada pass in_error", "Bo speak turn"]);
    // Where nobody else has the turn, it is waited for.
    let decided = stage.decisions(named).await;
    assert_eq!(decided.last().map(String::as_str), Some("Ada wait in_error"));
}

#[tokio::test]
async fn a_supervisor_that_fails_elsewhere_is_done_without() {
    let gate = Gate::new();
    let stage = stage().model(has_no_key("Otto", &gate)).open().await;
    let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::Supervisor).await;
    let supervisor = Some(stage.agent("Otto").await.id);
    change(&stage, group, GroupPatch { supervisor, ..GroupPatch::default() }).await;
    is_busy(&stage, "Otto").await;
    stage.post(group, "what do we do?").await;
    gate.open();
    stage.quiet().await;
    assert_eq!(speakers(&stage, group).await, ["you", "Ada"]);
    let decided = stage.decisions(group).await;
    assert_eq!(decided[1..3], ["Otto pass in_error", "Ada speak default_responder"]);
}

#[tokio::test]
async fn rounds_wait_for_one_whom_a_person_pauses_before_its_turn() {
    let (stage, gate) = with_one_busy("Ada").await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Rounds).await;
    stage.post(group, "what do you think?").await;
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    gate.open();
    stage.quiet().await;
    assert_eq!(speakers(&stage, group).await, ["you"]);
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    assert_eq!(speakers(&stage, group).await[..3], ["you", "Ada", "Bo"]);
}

#[tokio::test]
async fn who_is_muted_has_no_turn_that_it_was_given_before_but_one_that_a_person_gave_it() {
    let (stage, gate) = with_one_busy("Bo").await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    let asked = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.post(group, "@Bo hello").await;
    stage.post(asked, "@Bo hello").await;
    let agent = stage.agent("Bo").await.id;
    stage.do_(Command::SpeakNow { group: asked, agent }).await;
    mute(&stage, group, "Bo").await;
    mute(&stage, asked, "Bo").await;
    gate.open();
    stage.quiet().await;
    assert_eq!(speakers(&stage, group).await, ["you"]);
    let decided = stage.decisions(group).await;
    assert_eq!(decided.last().map(String::as_str), Some("Bo pass muted"));
    assert_eq!(speakers(&stage, asked).await, ["you", "Bo"]);
}

#[tokio::test]
async fn the_turn_of_one_who_is_muted_goes_to_the_next() {
    let (stage, gate) = with_one_busy("Ada").await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Rounds).await;
    stage.post(group, "what do you think?").await;
    mute(&stage, group, "Ada").await;
    stage.until(async |stage: &Stage| speakers(stage, group).await.len() == 4).await;
    gate.open();
    stage.quiet().await;
    assert_eq!(speakers(&stage, group).await, ["you", "Bo", "Bo", "Bo"]);
}

/// Bo is busy until the gate opens. Ada and Ines say something to Bo, who answers
/// everybody at once with these words.
fn answers_all_at_once(words: &'static str, gate: &Gate) -> Scripted {
    let gate = gate.clone();
    Scripted::from_fn(move |request, n| match (speaker(request).as_str(), n) {
        ("Bo", 1) => vec![Beat::Gate(gate.clone()), Beat::Text("There.".into())],
        ("Bo", _) => vec![Beat::Text(words.into())],
        _ => vec![Beat::Text(format!("@Bo {}", thought(n)))],
    })
}

#[tokio::test]
async fn a_persons_question_is_answered_whoever_asks_something_after_it() {
    let gate = Gate::new();
    let stage = stage().model(answers_all_at_once("Yes.", &gate)).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    set_caps(&stage, group, Caps { chain_depth: 2, ..Caps::default() }).await;
    is_busy(&stage, "Bo").await;
    let question = stage.post(group, "@Bo shall we go?").await;
    stage.post(group, "@Ada are you coming?").await;
    stage.until(async |stage: &Stage| speakers(stage, group).await.len() == 3).await;
    gate.open();
    stage.quiet().await;
    assert_eq!(speakers(&stage, group).await, ["you", "you", "Ada", "Bo"]);
    let answer = stage.messages(group).await.pop().expect("an answer");
    assert_eq!((answer.root, answer.chain_depth), (question.id, 1));
    let reactions = stage.query(Query::Reactions { group }).await;
    assert!(matches!(reactions, Ok(Reply::Reactions(all)) if all.is_empty()));
}

#[tokio::test]
async fn silence_is_on_record_beside_each_message_that_was_to_be_answered() {
    let gate = Gate::new();
    let stage = stage().model(answers_all_at_once("Yes.", &gate)).open().await;
    let group = stage.group(&["Ada", "Bo", "Ines"], TurnPolicy::Mention).await;
    is_busy(&stage, "Bo").await;
    stage.post(group, "@Ada and @Ines, what do you say?").await;
    let bo = stage.agent("Bo").await.id;
    stage.until(async |stage: &Stage| speakers(stage, group).await.len() == 3).await;
    gate.open();
    stage.quiet().await;
    let said = stage.messages(group).await.into_iter();
    let to_bo: Vec<_> = said.filter(|said| matches!(said.author, Author::Agent(_))).collect();
    assert_eq!(to_bo.len(), 2);
    for message in to_bo {
        let decided = decided(&stage, group, Some(message.id)).await;
        let last = decided.into_iter().rfind(|one| one.agent == bo).expect("decided");
        assert_eq!(last.reason, Reason::BareAcknowledgement);
    }
}

#[tokio::test]
async fn a_turn_that_a_person_gives_to_one_who_rests_waits_on_record() {
    let stage = stage().model(has_thoughts()).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.say(group, "@Bo hello").await;
    let last = async |stage: &Stage| stage.decisions(group).await.pop().expect("decided");
    let agent = stage.agent("Bo").await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    stage.do_(Command::SpeakNow { group, agent }).await;
    assert_eq!(last(&stage).await, "Bo wait paused");
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    assert_eq!(speakers(&stage, group).await, ["you", "Bo", "Bo"]);
}

#[tokio::test]
async fn what_is_said_while_everybody_rests_is_answered_when_they_are_back() {
    for policy in [TurnPolicy::Rounds, TurnPolicy::RoundRobin, TurnPolicy::Weighted] {
        let stage = stage().model(has_thoughts()).open().await;
        let group = stage.group(&["Ada", "Bo"], policy).await;
        stage.do_(Command::PauseAll).await;
        stage.say(group, "is anybody there?").await;
        assert_eq!(speakers(&stage, group).await, ["you"]);
        stage.do_(Command::ResumeAll).await;
        stage.quiet().await;
        let who = speakers(&stage, group).await;
        assert_ne!(who, ["you"], "{policy:?}");
    }
}
