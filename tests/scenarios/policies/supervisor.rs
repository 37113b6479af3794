//! `supervisor`: one member names who speaks next.

use super::*;
use domain::{AgentState, Author, Outcome, Reason, RunState};
use llm::scripted::Gate;
use llm::{Grammar, ModelFault, ModelRequest, Role, Trouble};
use serde_json::json;

/// How a supervisor names somebody.
pub(super) fn names(name: &str) -> String {
    json!({ "next": name, "why": "knows most" }).to_string()
}

/// Whom a supervisor is asked to choose among; empty for every other request.
pub(super) fn offered(request: &ModelRequest) -> Vec<String> {
    let Some(Grammar::JsonSchema(schema)) = &request.grammar else { return Vec::new() };
    let choices = schema["properties"]["next"]["enum"].as_array().into_iter().flatten();
    choices.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

fn supervises(request: &ModelRequest) -> bool {
    !offered(request).is_empty()
}

/// What the supervisor answers, in order, and nobody at the end; everybody
/// says something new.
fn supervised(answers: &[&str]) -> Scripted {
    let answers: Vec<String> = answers.iter().map(|answer| (*answer).to_owned()).collect();
    let asked = std::sync::atomic::AtomicUsize::new(0);
    Scripted::from_fn(move |request, n| {
        if !supervises(request) {
            return vec![Beat::Text(thought(n).into())];
        }
        let nth = asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let nobody = json!({ "next": null }).to_string();
        vec![Beat::Text(answers.get(nth).cloned().unwrap_or(nobody))]
    })
}

/// Ada answers where nobody is named, Otto supervises.
async fn group_of(stage: &Stage) -> GroupId {
    let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::Supervisor).await;
    let supervisor = Some(stage.agent("Otto").await.id);
    change(stage, group, GroupPatch { supervisor, ..GroupPatch::default() }).await;
    group
}

#[tokio::test]
async fn the_supervisor_names_one_after_the_other_until_it_says_that_it_is_over() {
    let script = supervised(&[&names("Bo"), "```json\n{\"next\": \"ada\"}\n```"]);
    let stage = stage().model(script).open().await;
    let group = group_of(&stage).await;
    stage.say(group, "what do we do?").await;
    assert_eq!(speakers(&stage, group).await, ["you", "Bo", "Ada"]);
    assert_eq!(
        stage.decisions(group).await,
        [
            "Otto speak supervising",
            "Bo speak chosen_by_supervisor",
            "Ada pass not_chosen",
            "Otto speak supervising",
            "Ada speak chosen_by_supervisor",
            "Otto speak supervising",
            "Otto pass supervisor_ended"
        ]
    );
    let runs = stage.runs().await;
    let silent = |reason| Some(Outcome::Silent { reason });
    let outcomes: Vec<_> = runs.iter().step_by(2).map(|run| run.outcome.clone()).collect();
    assert_eq!(
        outcomes,
        [
            silent(Reason::Supervising { round: 1 }),
            silent(Reason::Supervising { round: 2 }),
            silent(Reason::SupervisorEnded)
        ]
    );
    assert!(runs.iter().all(|run| run.state == RunState::Settled));
    let depths: Vec<u32> = stage.messages(group).await.iter().map(|m| m.chain_depth).collect();
    assert_eq!(depths, [0, 1, 2], "the depth of a turn is its round");
}

#[tokio::test]
async fn the_question_follows_the_same_prefix_and_leaves_only_names_to_choose() {
    let stage = stage().model(supervised(&[&names("Otto")])).open().await;
    let group = stage.group(&["Ada", "Bo", "Otto", "Ines"], TurnPolicy::Supervisor).await;
    let supervisor = Some(stage.agent("Otto").await.id);
    change(&stage, group, GroupPatch { supervisor, ..GroupPatch::default() }).await;
    mute(&stage, group, "Bo").await;
    let agent = stage.agent("Ines").await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    stage.say(group, "what do we do?").await;
    let requests = stage.model.requests();
    assert_eq!(offered(&requests[0]), ["Ada", "Otto"], "whoever can speak at once");
    assert!(requests[0].tools.is_empty() && requests[0].stop.is_empty());
    // Chosen itself, it speaks: the same request but for the question.
    let (asked, speaks) = (&requests[0].turns, &requests[1].turns);
    assert_eq!(requests[1].grammar, None);
    assert_eq!(asked.len(), speaks.len());
    assert_eq!(asked[0], speaks[0]);
    let question = asked.last().unwrap().content.strip_prefix(&speaks.last().unwrap().content);
    let question = question.expect("the question comes last");
    assert!(question.contains("\n- Ada"), "{question}");
    assert!(!question.contains("- Bo") && !question.contains("- Ines"), "{question}");
    assert_eq!(asked.last().unwrap().role, Role::User);
    assert_eq!(speakers(&stage, group).await, ["you", "Otto"]);
    let texts = stage.transcript(group).await;
    assert!(!texts.iter().any(|text| text.contains("next")), "{texts:?}");
    let decisions = stage.decisions(group).await;
    assert!(decisions.contains(&"Bo pass muted".to_owned()), "{decisions:?}");
    assert!(decisions.contains(&"Ines pass paused".to_owned()), "{decisions:?}");
}

#[tokio::test]
async fn where_the_supervisor_wants_nobody_nobody_speaks() {
    for answer in ["{\"next\": null, \"why\": \"all is said\"}", "null", "[pass]"] {
        let stage = stage().model(supervised(&[answer])).open().await;
        let group = group_of(&stage).await;
        stage.say(group, "thanks, that was all").await;
        assert_eq!(speakers(&stage, group).await, ["you"]);
        assert_eq!(
            stage.decisions(group).await,
            [
                "Otto speak supervising",
                "Otto pass supervisor_ended",
                "Ada pass not_chosen",
                "Bo pass not_chosen"
            ]
        );
    }
}

#[tokio::test]
async fn an_answer_that_names_nobody_falls_back_to_the_default_responder_once() {
    let calls = "{\"next\": \"Bo\", \"why\": ";
    for answer in ["", "{\"next\": \"Zoe\"}", "Let us think.", calls, "{\"next\": 3}", "OK"] {
        // Who says nothing is asked again.
        let times = if answer.is_empty() { 3 } else { 1 };
        let stage = stage().model(supervised(&vec![answer; times])).open().await;
        let group = group_of(&stage).await;
        stage.say(group, "what do we do?").await;
        assert_eq!(speakers(&stage, group).await, ["you", "Ada"], "{answer:?}");
        assert_eq!(
            stage.decisions(group).await[..5],
            [
                "Otto speak supervising",
                "Otto pass supervisor_failed",
                "Ada speak default_responder",
                "Bo pass not_the_default_responder",
                "Otto pass not_the_default_responder"
            ],
            "{answer:?}"
        );
        assert_eq!(stage.agent("Otto").await.state, AgentState::Idle);
    }
}

#[tokio::test]
async fn a_fallback_in_a_later_round_ends_it_too() {
    let stage = stage().model(supervised(&[&names("Bo"), "hm"])).open().await;
    let group = group_of(&stage).await;
    stage.say(group, "what do we do?").await;
    assert_eq!(speakers(&stage, group).await, ["you", "Bo", "Ada"]);
    let decisions = stage.decisions(group).await;
    assert_eq!(
        decisions[3..6],
        ["Otto speak supervising", "Otto pass supervisor_failed", "Ada speak default_responder"]
    );
}

#[tokio::test]
async fn a_supervisor_whose_model_fails_is_done_without() {
    let script = Scripted::from_fn(|request, n| match supervises(request) {
        true => vec![Beat::Fail(ModelFault::new(Trouble::Key, "no key", "add one"))],
        false => vec![Beat::Text(thought(n).into())],
    });
    let stage = stage().model(script).open().await;
    let group = group_of(&stage).await;
    stage.say(group, "what do we do?").await;
    assert_eq!(speakers(&stage, group).await, ["you", "<run_failed>", "Ada"]);
    assert_eq!(
        stage.decisions(group).await[..3],
        ["Otto speak supervising", "Otto pass supervisor_failed", "Ada speak default_responder"]
    );
    assert_eq!(stage.agent("Otto").await.state, AgentState::Error);
    // It needs a person; the others do not wait for that.
    stage.say(group, "and now?").await;
    assert_eq!(speakers(&stage, group).await[3..], ["you", "Ada"]);
    let decisions = stage.decisions(group).await;
    assert_eq!(
        decisions[decisions.len() - 5..decisions.len() - 2],
        ["Otto pass in_error", "Ada speak default_responder", "Bo pass not_the_default_responder"]
    );
}

#[tokio::test]
async fn a_speaker_whose_model_fails_is_not_offered_again() {
    let script = Scripted::from_fn(|request, n| {
        let offered = offered(request);
        match (offered.first(), speaker(request).as_str()) {
            (Some(first), _) => vec![Beat::Text(names(first))],
            (None, "Ada") => {
                vec![Beat::Fail(ModelFault::new(Trouble::Key, "no key", "add one"))]
            }
            (None, _) => vec![Beat::Text(thought(n).into())],
        }
    });
    let stage = stage().model(script).open().await;
    let group = group_of(&stage).await;
    stage.say(group, "what do we do?").await;
    assert_eq!(speakers(&stage, group).await, ["you", "<run_failed>", "Bo", "Bo"]);
}

#[tokio::test]
async fn a_supervisor_without_end_is_ended_by_the_caps() {
    let check = async |caps: Caps, speaks: usize, last: &str| {
        let stage = stage()
            .model(Scripted::from_fn(|request, n| match offered(request).len() {
                0 => vec![Beat::Text(thought(n / 2).into())],
                len => vec![Beat::Text(names(&offered(request)[n / 2 % len.min(2)]))],
            }))
            .open()
            .await;
        let group = group_of(&stage).await;
        set_caps(&stage, group, caps).await;
        stage.say(group, "go").await;
        assert_eq!(speakers(&stage, group).await.len(), 1 + speaks);
        assert_eq!(stage.decisions(group).await.last().map(String::as_str), Some(last));
    };
    let usual = Caps::default();
    check(usual, 3, "Otto pass chain_depth").await;
    let deep = Caps { chain_depth: 100, ..usual };
    check(deep, 4, "Ada pass pair_hops").await;
    let alone = Caps { pair_hops: 100, ..deep };
    check(alone, 10, "Otto pass message_cap").await;
}

#[tokio::test]
async fn supervising_counts_against_the_hourly_quota() {
    let stage = stage().model(supervised(&[&names("Bo"), &names("Bo")])).open().await;
    let group = group_of(&stage).await;
    set_caps(&stage, group, Caps { runs_per_hour: 1, ..Caps::default() }).await;
    stage.say(group, "what do we do?").await;
    assert_eq!(speakers(&stage, group).await, ["you", "Bo", "Ada"]);
    let decisions = stage.decisions(group).await;
    assert_eq!(
        decisions[3..6],
        ["Otto speak supervising", "Otto pass hourly_quota", "Ada speak default_responder"]
    );
    stage.say(group, "and now?").await;
    assert_eq!(speakers(&stage, group).await.len(), 4, "nobody is left who may");
}

#[tokio::test]
async fn a_person_who_mentions_somebody_does_not_need_the_supervisor() {
    let stage = stage().model(supervised(&[&names("Ada")])).open().await;
    let group = group_of(&stage).await;
    stage.say(group, "@Bo?").await;
    assert_eq!(speakers(&stage, group).await, ["you", "Bo"]);
    assert!(!stage.model.requests().iter().any(supervises));
}

#[tokio::test]
async fn names_in_a_chosen_members_words_wake_nobody() {
    let script = Scripted::from_fn(|request, n| match n {
        1 => vec![Beat::Text(names("Bo"))],
        _ if supervises(request) => vec![Beat::Text("{\"next\": null}".into())],
        _ => vec![Beat::Text("@Ada, @Otto: what do you think?".into())],
    });
    let stage = stage().model(script).open().await;
    let group = group_of(&stage).await;
    stage.say(group, "go").await;
    assert_eq!(speakers(&stage, group).await, ["you", "Bo"]);
    assert_eq!(stage.model.requests().len(), 3);
}

#[tokio::test]
async fn a_supervisor_that_is_paused_is_asked_when_it_is_back() {
    let stage = stage().model(supervised(&[&names("Bo")])).open().await;
    let group = group_of(&stage).await;
    let agent = stage.agent("Otto").await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    stage.say(group, "what do we do?").await;
    assert_eq!(stage.decisions(group).await, ["Otto wait paused"]);
    let stage = stage.reopen().await;
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    assert_eq!(speakers(&stage, group).await, ["you", "Bo"]);
}

#[tokio::test]
async fn a_person_who_speaks_again_begins_anew() {
    let gate = Gate::new();
    let wait = gate.clone();
    let script = Scripted::from_fn(move |request, n| match (n, supervises(request)) {
        (1, _) => vec![Beat::Gate(wait.clone()), Beat::Text(names("Bo"))],
        (2, true) => vec![Beat::Text(names("Ada"))],
        (_, true) => vec![Beat::Text("{\"next\": null}".into())],
        (_, false) => vec![Beat::Text(thought(n).into())],
    });
    let stage = stage().model(script).open().await;
    let group = group_of(&stage).await;
    stage.post(group, "first").await;
    stage.model.asked(1).await;
    stage.post(group, "second").await;
    gate.open();
    stage.quiet().await;
    assert_eq!(speakers(&stage, group).await, ["you", "you", "Ada"]);
    assert!(stage.decisions(group).await.contains(&"Otto pass superseded".to_owned()));
}

#[tokio::test]
async fn a_policy_that_comes_into_force_before_anybody_has_answered_decides() {
    let gate = Gate::new();
    let wait = gate.clone();
    let script = Scripted::from_fn(move |request, n| match supervises(request) {
        true => vec![Beat::Gate(wait.clone()), Beat::Text(names("Bo"))],
        false => vec![Beat::Text(thought(n).into())],
    });
    let stage = stage().model(script).open().await;
    let group = group_of(&stage).await;
    stage.post(group, "what do we do?").await;
    stage.model.asked(1).await;
    let policy = Some(TurnPolicy::Broadcast);
    change(&stage, group, GroupPatch { policy, ..GroupPatch::default() }).await;
    gate.open();
    stage.quiet().await;
    let mut said = speakers(&stage, group).await;
    said.retain(|who| who != "<policy_changed>");
    said.sort();
    assert_eq!(said, ["Ada", "Bo", "Otto", "you"]);
    assert!(stage.decisions(group).await.contains(&"Otto pass policy_changed".to_owned()));
}

#[tokio::test]
async fn a_supervisor_that_is_stopped_leaves_nothing_behind() {
    let script = Scripted::from_fn(|_, _| vec![Beat::Text("{\"next\": ".into()), Beat::Hang]);
    let stage = stage().model(script).open().await;
    let group = group_of(&stage).await;
    stage.post(group, "what do we do?").await;
    stage.model.asked(1).await;
    stage.do_(Command::Stop { target: domain::Target::Group(group) }).await;
    stage.quiet().await;
    assert_eq!(speakers(&stage, group).await, ["you"]);
    assert!(stage.decisions(group).await.contains(&"Otto pass stopped_by_user".to_owned()));
}

#[tokio::test]
async fn a_supervisor_is_asked_again_after_a_crash() {
    let stage = stage().model(Scripted::from_fn(|_, _| vec![Beat::Hang])).open().await;
    let group = group_of(&stage).await;
    stage.post(group, "what do we do?").await;
    stage.model.asked(1).await;
    let stage = stage.crash(supervised(&[&names("Bo")])).await;
    stage.quiet().await;
    assert_eq!(speakers(&stage, group).await, ["you", "Bo"]);
    let states: Vec<RunState> = stage.runs().await.iter().map(|run| run.state).collect();
    assert!(!states.contains(&RunState::Running), "{states:?}");
}

#[tokio::test]
async fn a_supervisor_that_leaves_is_followed_by_the_default_agent() {
    let stage = stage().model(supervised(&[&names("Bo")])).open().await;
    let group = group_of(&stage).await;
    let agent = stage.agent("Otto").await.id;
    stage.do_(Command::RemoveMember { group, agent }).await;
    stage.say(group, "what do we do?").await;
    let decisions = stage.decisions(group).await;
    assert_eq!(decisions[..2], ["Ada speak supervising", "Bo speak chosen_by_supervisor"]);
    let said = stage.messages(group).await;
    assert!(said.iter().all(|message| message.author != Author::Agent(agent)));
}

#[tokio::test]
async fn a_supervisor_that_is_terminated_before_its_turn_leaves_it_to_the_default_responder() {
    let stage = stage().model(supervised(&[])).open().await;
    let group = group_of(&stage).await;
    let agent = stage.agent("Otto").await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    stage.say(group, "what do we do?").await;
    stage.do_(Command::TerminateAgent { agent }).await;
    stage.quiet().await;
    assert_eq!(speakers(&stage, group).await, ["you", "<left>", "Ada"]);
    assert_eq!(stage.view(group).await.group.supervisor, None);
}
