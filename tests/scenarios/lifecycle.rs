//! Agents come, rest, come back and go.

mod beginning;

use domain::{
    AgentState, Command, FaultCode, GroupPatch, Query, Reply, SettingsPatch, StepKind, Transition,
    TransitionCause, TurnPolicy,
};
use llm::scripted::{Beat, Scripted};
use llm::{ModelFault, Trouble};
use proptest::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};
use store::table::settings;
use store::{Durability, Store, Write};
use tests::{fails, says, speaker, stage};

#[tokio::test]
async fn a_new_workspace_has_people_to_talk_to() {
    let stage = stage().open().await;
    let overview = stage.overview().await;
    let names: Vec<&str> = overview.agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["Ada", "Otto", "Bo", "Ines", "林夏", "老陈"]);
    let groups: Vec<&str> = overview.groups.iter().map(|view| view.group.name.as_str()).collect();
    assert_eq!(groups, ["Ada", "Otto", "Bo", "Ines", "林夏", "老陈", "First group"]);
    assert!(overview.souls.iter().all(|soul| soul.problem.is_none()));

    let stage = stage.reopen().await;
    assert_eq!(stage.overview().await.groups.len(), 7, "a second start adds nothing");
}

#[tokio::test]
async fn a_first_start_that_was_cut_off_is_made_up_for_once() {
    let stage = stage().open().await;
    stage.workspace.close().await;
    let (store, _) = Store::open(&stage.data().join("coterie.db"), |_| {}).unwrap();
    let forget = |write: &mut Write<'_>| settings::put_fact(write, "first_start", "begun");
    store.write(Durability::Process, forget).await.unwrap();
    drop(store);
    let stage = stage.reopen().await;
    assert_eq!(stage.overview().await.groups.len(), 7);
}

#[tokio::test(start_paused = true)]
async fn those_who_failed_together_do_not_come_back_together() {
    let drawn = AtomicU32::new(0);
    let chance = move || drawn.fetch_add(u32::MAX / 16, Ordering::SeqCst);
    let stage =
        stage().model(fails(Trouble::Busy { retry_after: None })).chance(chance).open().await;
    let everybody = ["Ada", "Otto", "Bo", "Ines", "林夏", "老陈"];
    let group = stage.group(&everybody, TurnPolicy::Broadcast).await;
    stage.say(group, "hello").await;
    let mut pauses = [Vec::new(), Vec::new()];
    for run in stage.runs().await {
        for step in stage.run(run.id).await.steps {
            if let StepKind::Retried { attempt, after_ms, .. } = step.kind {
                pauses[attempt as usize - 1].push(after_ms);
            }
        }
    }
    for (pauses, most) in pauses.iter_mut().zip([1000, 4000]) {
        pauses.sort_unstable();
        pauses.dedup();
        assert_eq!(pauses.len(), everybody.len(), "{pauses:?}");
        assert!(pauses.iter().all(|pause| *pause <= most), "{pauses:?}");
    }
}

#[tokio::test]
async fn pause_stops_the_loop_and_resume_answers_what_came_meanwhile() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    stage.say(ada, "are you there?").await;
    assert_eq!(stage.transcript(ada).await, ["you: are you there?"]);
    assert_eq!(stage.decisions(ada).await, ["Ada wait paused"]);
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await, ["you: are you there?", "Ada: yes"]);
}

#[tokio::test]
async fn a_turn_that_is_paused_in_the_middle_is_done_again_after_the_resume() {
    let script = Scripted::from_fn(|_, n| {
        if n == 1 {
            vec![Beat::Text("half a".into()), Beat::Hang]
        } else {
            vec![Beat::Text("a whole answer".into())]
        }
    });
    let stage = stage().model(script).open().await;
    let ada = stage.direct("Ada").await;
    let agent = stage.agent("Ada").await.id;
    stage.post(ada, "go on").await;
    stage.model.asked(1).await;
    stage.do_(Command::PauseAgent { agent }).await;
    stage.model.dropped(1).await;
    assert_eq!(stage.agent("Ada").await.state, AgentState::Paused);
    stage.quiet().await;
    let until_now = ["Ada speak default_responder", "Ada wait paused"];
    assert_eq!(stage.decisions(ada).await, until_now, "why nobody answers is on record");
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await, ["you: go on", "Ada: a whole answer"]);
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_panics_is_tried_again_and_harms_nobody_else() {
    let script = Scripted::from_fn(|request, n| {
        assert!(speaker(request) != "Ada" || n > 2, "this is meant to panic");
        vec![Beat::Text("here".into())]
    });
    let stage = stage().model(script).open().await;
    let (ada, bo) = (stage.direct("Ada").await, stage.direct("Bo").await);
    stage.say(ada, "hello").await;
    stage.say(bo, "hello").await;
    assert_eq!(stage.transcript(ada).await, ["you: hello", "Ada: here"]);
    assert_eq!(stage.transcript(bo).await, ["you: hello", "Bo: here"]);
    assert_eq!(stage.runs().await.len(), 4, "two that panicked, and the two answers");
}

#[tokio::test]
async fn who_is_terminated_leaves_its_groups_and_its_name() {
    let stage = stage().open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await;
    stage.say(group, "hello").await;
    let agent = stage.agent("Bo").await.id;
    stage.do_(Command::TerminateAgent { agent }).await;
    assert_eq!(stage.agent("Bo").await.state, AgentState::Terminated);
    assert_eq!(stage.view(group).await.members.len(), 2, "the person and Ada");
    stage.say(group, "still there?").await;
    let said: Vec<_> =
        stage.transcript(group).await.into_iter().filter(|line| line.starts_with("Bo")).collect();
    assert_eq!(said, ["Bo: yes"], "what it said before stays");

    let again = stage.command(Command::ResumeAgent { agent }).await.unwrap_err();
    assert_eq!(again.code, FaultCode::Refused);
    let new = Command::NewAgent { soul: "bo".into(), name: None, model: None, parent: None };
    let Reply::Agent(new) = stage.do_(new).await else { panic!("no agent") };
    assert_eq!(new.name, "Bo", "the name is free again");
}

#[tokio::test]
async fn the_chat_with_an_agent_that_has_ended_cannot_be_brought_back() {
    let stage = stage().open().await;
    let (agent, group) = (stage.agent("Bo").await.id, stage.direct("Bo").await);
    stage.do_(Command::TerminateAgent { agent }).await;
    let text = "still there?".to_owned();
    let post = Command::Post { group, text, reply_to: None, attachments: Vec::new() };
    let patch = GroupPatch { archived: Some(false), ..GroupPatch::default() };
    for command in [post, Command::EditGroup { group, patch }] {
        let refused = stage.command(command).await.unwrap_err();
        assert_eq!(refused.code, FaultCode::Refused);
        assert_eq!(refused.message, "Bo has been terminated");
        assert!(refused.fix.contains("new agent"), "{refused}");
    }
}

#[tokio::test]
async fn nobody_is_called_as_somebody_else_is() {
    let stage = stage().open().await;
    let named = |name: &str| {
        let patch = SettingsPatch { your_name: Some(name.into()), ..SettingsPatch::default() };
        Command::ChangeSettings { patch }
    };
    stage.group(&["Ada"], TurnPolicy::Mention).await;
    for taken in ["Bo", "BO"] {
        let refused = stage.command(named(taken)).await.unwrap_err();
        assert_eq!(refused.code, FaultCode::Conflict, "{refused}");
    }
    stage.do_(named("Mei")).await;
    stage.do_(named("Mei")).await;
    let new = |name: Option<&str>| Command::NewAgent {
        soul: "ada".into(),
        name: name.map(Into::into),
        model: None,
        parent: None,
    };
    let refused = stage.command(new(Some("mei"))).await.unwrap_err();
    assert_eq!(refused.message, "mei is what you call yourself");
    stage.do_(named("")).await;
    stage.do_(new(Some("mei"))).await;
}

#[tokio::test]
async fn a_second_agent_of_a_soul_gets_a_name_of_its_own() {
    let stage = stage().open().await;
    let new = || Command::NewAgent { soul: "ada".into(), name: None, model: None, parent: None };
    let Reply::Agent(second) = stage.do_(new()).await else { panic!("no agent") };
    assert_eq!(second.name, "Ada2");
    let taken = Command::NewAgent {
        soul: "ada".into(),
        name: Some("ada".into()),
        model: None,
        parent: None,
    };
    assert_eq!(stage.command(taken).await.unwrap_err().code, FaultCode::Conflict);
}

/// The limits of giving tasks hold for children that a person makes, too.
#[tokio::test]
async fn a_family_is_at_most_three_generations_deep_and_five_children_wide() {
    let stage = stage().open().await;
    let child = async |name: &str, parent: &str| {
        let (soul, name) = ("ada".to_owned(), Some(name.to_owned()));
        let parent = Some(stage.agent(parent).await.id);
        stage.command(Command::NewAgent { soul, name, model: None, parent }).await
    };
    for (name, parent) in [("Kid", "Otto"), ("Kid2", "Kid"), ("Kid3", "Kid2")] {
        child(name, parent).await.expect("there is room");
    }
    let fault = child("Kid4", "Kid3").await.unwrap_err();
    assert_eq!(fault.code, FaultCode::Refused);
    assert_eq!(
        fault.message,
        "make a child of Kid3: 3 generations of children below Otto are the limit"
    );
    for name in ["A", "B", "C", "D"] {
        child(name, "Otto").await.expect("there is room");
    }
    let fault = child("E", "Otto").await.unwrap_err();
    assert_eq!(fault.message, "make a child of Otto: 5 children at a time are the limit");
    let agent = stage.agent("D").await.id;
    stage.do_(Command::TerminateAgent { agent }).await;
    child("E", "Otto").await.expect("there is room again");
}

#[tokio::test]
async fn without_a_model_an_agent_says_so_once_and_answers_when_there_is_one() {
    let stage = stage().without_model().model(says("here I am")).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    stage.say(ada, "hello?").await;
    assert_eq!(stage.transcript(ada).await, ["you: hello", "<run_failed>", "you: hello?"]);
    let problem = stage.agent("Ada").await.problem.expect("it says what is wrong");
    assert_eq!(problem.code, FaultCode::NoModel);

    use_a_model(&stage).await;
    assert_eq!(stage.transcript(ada).await.last().map(String::as_str), Some("Ada: here I am"));
}

/// Another model mends what had stopped it; that everybody rests stands.
#[tokio::test]
async fn while_everybody_rests_nobody_comes_back_for_another_model() {
    let stage = stage().without_model().model(says("here I am")).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    stage.do_(Command::PauseAll).await;
    use_a_model(&stage).await;
    assert_eq!(stage.agent("Ada").await.state, AgentState::Paused);
    assert_eq!(stage.model.requests(), []);
}

async fn use_a_model(stage: &tests::Stage) {
    let provider = domain::Provider {
        name: "test".into(),
        kind: domain::ProviderKind::Scripted,
        base_url: None,
        key_env: None,
        key: None,
        models: Vec::new(),
    };
    stage.do_(Command::save_provider(provider)).await;
    let (role, model) = (domain::ModelRole::Default, "test/script".into());
    stage.do_(Command::UseModel { role, model }).await;
    stage.quiet().await;
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Say,
    Pause,
    Resume,
    Restart,
    Fail,
    Terminate,
}

/// Every change of state that there may be, with what may cause it.
fn is_legal(change: &Transition) -> bool {
    use AgentState::{Error, Idle, Paused, Running, Terminated};
    match &change.cause {
        TransitionCause::Created => (change.from, change.to) == (None, Idle),
        TransitionCause::Woken => (change.from, change.to) == (Some(Idle), Running),
        TransitionCause::Settled => (change.from, change.to) == (Some(Running), Idle),
        TransitionCause::ProcessEnded => (change.from, change.to) == (Some(Running), Idle),
        TransitionCause::Failed { .. } => (change.from, change.to) == (Some(Running), Error),
        TransitionCause::PausedByUser => {
            matches!(change.from, Some(Idle | Running | Error)) && change.to == Paused
        }
        TransitionCause::ResumedByUser => {
            matches!(change.from, Some(Paused | Error)) && change.to == Idle
        }
        TransitionCause::Restarted => (change.from, change.to) == (Some(Error), Idle),
        TransitionCause::TerminatedByUser => {
            change.from.is_some_and(|from| from != Terminated) && change.to == Terminated
        }
        TransitionCause::AskedFirst
        | TransitionCause::AllPaused
        | TransitionCause::AllResumed
        | TransitionCause::AnswerCame
        | TransitionCause::NewDay
        | TransitionCause::TaskEnded
        | TransitionCause::ParentTerminated => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_stored_change_of_state_follows_from_the_one_before(
        acts in proptest::collection::vec(
            prop_oneof![Just(Act::Say), Just(Act::Pause), Just(Act::Resume), Just(Act::Restart),
                        Just(Act::Fail), Just(Act::Terminate)], 1..12)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let model = Scripted::from_fn(|request, _| {
                let heard = request.turns.last().map_or("", |turn| turn.content.as_str());
                let fault = ModelFault::new(Trouble::Key, "refused", "set another key");
                vec![if heard.contains("wrong") { Beat::Fail(fault) } else { Beat::Text("yes".into()) }]
            });
            let mut stage = stage().model(model).open().await;
            let ada = stage.direct("Ada").await;
            let agent = stage.agent("Ada").await.id;
            let say = |text: &str| {
                let (text, attachments) = (text.into(), Vec::new());
                Command::Post { group: ada, text, reply_to: None, attachments }
            };
            for act in acts {
                match act {
                    Act::Say => drop(stage.command(say("hello")).await),
                    // Refused where it makes no sense, which is the point.
                    Act::Pause => drop(stage.command(Command::PauseAgent { agent }).await),
                    Act::Resume => drop(stage.command(Command::ResumeAgent { agent }).await),
                    Act::Restart => stage = stage.reopen().await,
                    Act::Fail => drop(stage.command(say("wrong")).await),
                    Act::Terminate => drop(stage.command(Command::TerminateAgent { agent }).await),
                }
            }
            stage.quiet().await;
            let Reply::AgentDetail(detail) = stage.query(Query::Agent { agent }).await.unwrap() else {
                panic!("no agent")
            };
            let mut oldest_first = detail.transitions.clone();
            oldest_first.reverse();
            for pair in oldest_first.windows(2) {
                assert_eq!(pair[1].from, Some(pair[0].to));
                assert!(pair[0].at_ms <= pair[1].at_ms, "{pair:?}");
            }
            assert_eq!(oldest_first.last().map(|last| last.to), Some(detail.agent.state));
            for change in &oldest_first {
                assert!(is_legal(change) && change.at_ms > 0, "{change:?}");
            }
            assert_ne!(detail.agent.state, AgentState::Running);
        });
    }
}
