//! Who is paused while others work for it: they rest with it, and all go on when it
//! is resumed.

use super::*;
use domain::{AgentId, Effects, GroupId, Line, Query, Reply, RequestId, Run, Speaker, StepKind};
use tests::Counter;
use uuid::Uuid;

async fn with_chief(gate: &Gate) -> Stage {
    let stage = stage().model(delegating(gate)).open().await;
    soul(&stage, "Scout", &[]).await;
    soul(&stage, "Chief", &["scout"]).await;
    agent(&stage, "chief").await;
    stage
}

async fn at_work(gate: &Gate) -> (Stage, GroupId) {
    let stage = with_chief(gate).await;
    let chief = stage.direct("Chief").await;
    stage.post(chief, "look").await;
    gate.arrived(1).await;
    (stage, chief)
}

async fn pause(stage: &Stage, name: &str) -> AgentId {
    let agent = stage.agent(name).await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    agent
}

async fn nobody_runs(stage: &Stage) {
    let running = |run: &Run| run.state == RunState::Running;
    stage.until(async |stage: &Stage| !stage.runs().await.iter().any(running)).await;
}

async fn scouts(stage: &Stage) -> usize {
    stage.everybody().await.iter().filter(|agent| agent.soul == "scout").count()
}

async fn is_told_once(stage: &Stage, chief: GroupId) {
    stage.quiet().await;
    assert_eq!(stage.transcript(chief).await, ["you: look", "Chief: It is deep"]);
    assert_eq!(scouts(stage).await, 1);
    assert_eq!(stage.agent("Scout").await.state, AgentState::Terminated);
    assert_eq!(stage.overview().await.open_runs, []);
}

#[tokio::test]
async fn a_child_rests_with_its_parent_and_goes_on_with_the_same_task() {
    let gate = Gate::new();
    let (stage, chief) = at_work(&gate).await;
    let agent = pause(&stage, "Chief").await;
    nobody_runs(&stage).await;
    for name in ["Chief", "Scout"] {
        assert_eq!(stage.agent(name).await.state, AgentState::Paused, "{name}");
    }
    let asked = stage.model.requests().len();
    gate.open();
    stage.do_(Command::ResumeAgent { agent }).await;
    is_told_once(&stage, chief).await;
    assert_eq!(stage.model.requests().len(), asked + 2, "Chief had given its task already");
}

#[tokio::test]
async fn a_family_that_rests_rests_over_the_end_of_the_process() {
    let gate = Gate::new();
    let (stage, chief) = at_work(&gate).await;
    let agent = pause(&stage, "Chief").await;
    nobody_runs(&stage).await;
    gate.open();
    let stage = stage.crash(delegating(&gate)).await;
    for name in ["Chief", "Scout"] {
        assert_eq!(stage.agent(name).await.state, AgentState::Paused, "{name}");
    }
    stage.do_(Command::ResumeAgent { agent }).await;
    is_told_once(&stage, chief).await;
}

#[tokio::test]
async fn a_parent_waits_for_a_child_that_a_person_paused() {
    let gate = Gate::new();
    let (stage, chief) = at_work(&gate).await;
    let agent = pause(&stage, "Scout").await;
    let scout_rests = async |stage: &Stage| {
        let runs = stage.runs().await;
        runs.iter().any(|run| run.agent == agent && run.state == RunState::Stopped)
    };
    stage.until(scout_rests).await;
    assert_eq!(stage.agent("Chief").await.state, AgentState::Running);
    gate.open();
    stage.do_(Command::ResumeAgent { agent }).await;
    is_told_once(&stage, chief).await;
}

#[tokio::test]
async fn a_family_that_rests_can_be_ended() {
    let (stage, _) = at_work(&Gate::new()).await;
    let agent = pause(&stage, "Chief").await;
    nobody_runs(&stage).await;
    stage.do_(Command::TerminateAgent { agent }).await;
    for name in ["Chief", "Scout"] {
        assert_eq!(stage.agent(name).await.state, AgentState::Terminated, "{name}");
    }
}

#[tokio::test]
async fn a_child_that_was_made_by_a_person_has_a_life_of_its_own() {
    let gate = Gate::new();
    gate.open();
    let stage = with_chief(&gate).await;
    let parent = Some(stage.agent("Chief").await.id);
    // As many of them as may work for anybody at a time.
    for name in ["Own", "Own2", "Own3", "Own4", "Own5"] {
        let (soul, name) = ("scout".to_owned(), Some(name.to_owned()));
        stage.do_(Command::NewAgent { soul, name, model: None, parent }).await;
    }
    let chief = stage.direct("Chief").await;
    stage.say(chief, "look").await;
    assert_eq!(stage.transcript(chief).await, ["you: look", "Chief: It is deep"]);
    let agent = pause(&stage, "Chief").await;
    assert_eq!(stage.agent("Own").await.state, AgentState::Idle);
    stage.do_(Command::ResumeAgent { agent }).await;
}

#[tokio::test]
async fn a_turn_by_itself_that_is_paused_is_over_and_so_are_its_tasks() {
    let gate = Gate::new();
    let stage = with_chief(&gate).await;
    let agent = stage.agent("Chief").await.id;
    let dialog = vec![Line { role: Speaker::User, content: "look".into() }];
    let once = stage.send(RequestId(Uuid::now_v7()), Command::RunOnce { agent, dialog });
    let paused = async {
        gate.arrived(1).await;
        pause(&stage, "Chief").await;
    };
    let (once, ()) = futures::join!(once, paused);
    let Ok(Reply::RunOnce(once)) = once else { panic!("no turn: {once:?}") };
    assert_eq!((once.reply, once.run.state), (None, RunState::Stopped));
    assert_eq!(stage.agent("Scout").await.state, AgentState::Terminated);
}

#[tokio::test]
async fn what_a_pause_cut_off_is_made_again_where_that_is_harmless() {
    for (effects, uses) in [(Effects::Repeatable, 2), (Effects::Once, 1)] {
        let counter = Counter::held(effects);
        let model = Scripted::from_fn(|request, _| match results(request).last() {
            None => vec![Beat::ToolCall(ToolCallDelta {
                id: "c1".into(),
                name: Some("count".into()),
                arguments: "{}".into(),
            })],
            Some(result) => says(result.clone()),
        });
        let stage = stage().model(model).tool(counter.clone()).open().await;
        let ada = stage.direct("Ada").await;
        stage.post(ada, "count").await;
        counter.gate.arrived(1).await;
        let agent = pause(&stage, "Ada").await;
        nobody_runs(&stage).await;
        counter.gate.open();
        stage.do_(Command::ResumeAgent { agent }).await;
        stage.quiet().await;
        assert_eq!(counter.uses(), uses, "{effects:?}");
        let mut ends = 0;
        for run in stage.runs().await {
            let Ok(Reply::Replayed(replayed)) = stage.query(Query::Replay { run: run.id }).await
            else {
                panic!("not replayed")
            };
            assert_eq!(replayed.difference, None, "{effects:?}");
            let steps = stage.run(run.id).await.steps;
            let ended = |kind: &StepKind| matches!(kind, StepKind::ToolReturned { .. });
            ends += steps.iter().filter(|step| ended(&step.kind)).count();
        }
        assert_eq!(ends, 1, "{effects:?}");
    }
}
