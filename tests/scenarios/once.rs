//! One whole turn in one call, apart from every group.

use domain::{
    AgentState, CallState, Command, Fault, FaultCode, Line, Outcome, Reason, Reply, RequestId,
    RunOnce, RunState, Speaker, StepKind,
};
use llm::scripted::{Beat, Gate, Scripted};
use llm::{Role, ToolCallDelta, Trouble};
use tests::{Stage, fails, says, says_nothing, stage};
use uuid::Uuid;

fn line(role: Speaker, content: &str) -> Line {
    Line { role, content: content.into() }
}

fn asks(content: &str) -> Vec<Line> {
    vec![line(Speaker::User, content)]
}

async fn once(stage: &Stage, dialog: Vec<Line>) -> Result<RunOnce, Fault> {
    again(stage, RequestId(Uuid::now_v7()), dialog).await
}

async fn again(stage: &Stage, id: RequestId, dialog: Vec<Line>) -> Result<RunOnce, Fault> {
    let agent = stage.agent("Ada").await.id;
    match stage.send(id, Command::RunOnce { agent, dialog }).await? {
        Reply::RunOnce(once) => Ok(*once),
        other => panic!("no turn: {other:?}"),
    }
}

#[tokio::test]
async fn a_dialog_is_answered_with_the_steps_and_stands_in_no_roster() {
    let stage = stage().model(says("Green tea.")).open().await;
    let before = stage.overview().await.groups;
    let dialog = vec![
        line(Speaker::User, "Tea or coffee?"),
        line(Speaker::Assistant, "Tea."),
        line(Speaker::User, "Which one?"),
    ];
    let once = once(&stage, dialog).await.unwrap();
    assert_eq!(once.reply.as_deref(), Some("Green tea."));
    assert_eq!(once.run.state, RunState::Settled);
    assert!(matches!(once.steps.last().unwrap().kind, StepKind::Settled { .. }));
    assert_eq!(stage.run(once.run.id).await.steps, once.steps);
    assert_eq!(stage.overview().await.groups, before);

    let turns = &stage.model.requests()[0].turns;
    let roles: Vec<Role> = turns[1..].iter().map(|turn| turn.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User]);
    assert!(turns[3].content.ends_with("Which one?"), "{}", turns[3].content);
}

#[tokio::test]
async fn tools_are_used_and_their_use_is_among_the_steps() {
    let call = Beat::ToolCall(ToolCallDelta {
        id: "c1".into(),
        name: Some("calculator".into()),
        arguments: r#"{"expression":"12 * 7"}"#.into(),
    });
    let model = Scripted::from_fn(move |request, _| {
        match request.turns.last().filter(|turn| turn.role == Role::Tool) {
            None => vec![call.clone()],
            Some(result) => vec![Beat::Text(format!("It is {}.", result.content))],
        }
    });
    let stage = stage().model(model).open().await;
    let once = once(&stage, asks("What is 12 times 7?")).await.unwrap();
    let returned = once.steps.iter().filter_map(|step| match &step.kind {
        StepKind::ToolReturned { state, text, .. } => Some((*state, text.as_str())),
        _ => None,
    });
    let returned: Vec<_> = returned.collect();
    assert!(matches!(returned[..], [(CallState::Succeeded, text)] if text.contains("84")));
    assert!(once.reply.unwrap().contains("84"));
}

#[tokio::test]
async fn a_request_that_comes_twice_is_one_turn_also_after_a_restart() {
    let stage = stage().open().await;
    let id = RequestId(Uuid::now_v7());
    let (one, two) =
        tokio::join!(again(&stage, id, asks("hello")), again(&stage, id, asks("hello")));
    assert_eq!(one.as_ref().unwrap(), two.as_ref().unwrap());
    let stage = stage.reopen().await;
    assert_eq!(again(&stage, id, asks("hello")).await, one);
    assert_eq!(stage.runs().await.len(), 1);
}

/// The owner that had begun it ended; the request is sent to the next one.
#[tokio::test]
async fn a_turn_that_was_cut_off_is_gone_on_with_by_the_next_owner() {
    let gate = Gate::new();
    let held = gate.clone();
    let model = Scripted::from_fn(move |_, n| match n {
        1 => vec![Beat::Gate(held.clone()), Beat::Text("never".into())],
        _ => vec![Beat::Text("at last".into())],
    });
    let stage = stage().model(model).open().await;
    let id = RequestId(Uuid::now_v7());
    let asked = async {
        stage.model.asked(1).await;
        stage.workspace.close().await;
    };
    let (cut_off, ()) = tokio::join!(again(&stage, id, asks("hello")), asked);
    assert_eq!(cut_off.unwrap_err().code, FaultCode::Internal);
    let stage = stage.reopen().await;
    let once = again(&stage, id, asks("hello")).await.unwrap();
    assert_eq!(once.reply.as_deref(), Some("at last"));
    assert_eq!(stage.runs().await.len(), 2);
}

#[tokio::test]
async fn silence_is_an_answer() {
    let stage = stage().model(says_nothing()).open().await;
    let once = once(&stage, asks("hello")).await.unwrap();
    assert_eq!(once.reply, None);
    let silent = Outcome::Silent { reason: Reason::ChoseSilence { why: None } };
    assert_eq!(once.run.outcome, Some(silent));
}

#[tokio::test]
async fn a_failure_is_told_and_not_made_up_for_when_nobody_listens() {
    let stage = stage().model(fails(Trouble::Key)).open().await;
    let told = once(&stage, asks("hello")).await.unwrap();
    assert!(
        matches!(told.run.outcome, Some(Outcome::Failed { ref fault }) if fault.code == FaultCode::Key)
    );
    let agent = stage.agent("Ada").await;
    assert_eq!(agent.state, AgentState::Error);
    assert_eq!(once(&stage, asks("hello")).await.unwrap_err().code, FaultCode::Refused);

    stage.do_(Command::ResumeAgent { agent: agent.id }).await;
    stage.quiet().await;
    assert_eq!(once(&stage, asks("again")).await.unwrap().run.attempt, 1);
    assert_eq!(stage.runs().await.len(), 2);
}

/// Whatever becomes of the agent while the dialog waits for its turn.
#[tokio::test]
async fn a_turn_that_never_begins_is_refused_and_not_waited_for() {
    for end in ["pause", "terminate"] {
        let gate = Gate::new();
        let held = gate.clone();
        let model = Scripted::from_fn(move |_, n| match n {
            1 => vec![Beat::Gate(held.clone()), Beat::Text("done".into())],
            _ => vec![Beat::Text("too late".into())],
        });
        let stage = stage().model(model).open().await;
        let (direct, agent) = (stage.direct("Ada").await, stage.agent("Ada").await.id);
        stage.post(direct, "wait for me").await;
        stage.model.asked(1).await;
        let ending = async {
            stage.until(async |stage: &Stage| stage.overview().await.groups.len() > 3).await;
            match end {
                "pause" => stage.do_(Command::PauseAgent { agent }).await,
                _ => stage.do_(Command::TerminateAgent { agent }).await,
            }
        };
        let (refused, _) = tokio::join!(once(&stage, asks("hello")), ending);
        let fault = refused.unwrap_err();
        assert_eq!(fault.code, FaultCode::Refused, "{end}: {fault}");
        if end == "pause" {
            stage.do_(Command::ResumeAgent { agent }).await;
            stage.quiet().await;
        }
        let groups: Vec<_> = stage.runs().await.iter().map(|run| run.group).collect();
        assert!(groups.iter().all(|group| *group == direct), "{end}: nobody waits for it any more");
    }
}

#[tokio::test]
async fn a_turn_in_progress_that_is_ended_is_told_as_such() {
    let model = Scripted::from_fn(|_, _| vec![Beat::Text("I was ".into()), Beat::Hang]);
    let stage = stage().model(model).open().await;
    let agent = stage.agent("Ada").await.id;
    let ending = async {
        stage.model.asked(1).await;
        stage.do_(Command::PauseAgent { agent }).await;
    };
    let (told, ()) = tokio::join!(once(&stage, asks("hello")), ending);
    let told = told.unwrap();
    assert_eq!(told.run.outcome, Some(Outcome::Silent { reason: Reason::Paused }));
    assert_eq!(told.run.state, RunState::Stopped);
}

#[tokio::test]
async fn a_limit_that_keeps_the_turn_from_beginning_is_a_refusal() {
    let stage = stage().open().await;
    for n in 0..60 {
        once(&stage, asks(&format!("question {n}"))).await.unwrap();
    }
    let fault = once(&stage, asks("one more")).await.unwrap_err();
    assert_eq!(fault.code, FaultCode::Refused);
    assert_eq!(fault.message, "Ada has had the 60 turns of this hour");
    assert_eq!(stage.runs().await.len(), 60);
}

#[tokio::test]
async fn a_dialog_that_cannot_be_answered_is_refused_with_what_it_lacks() {
    let stage = stage().open().await;
    let ends_wrong = vec![line(Speaker::User, "Tea?"), line(Speaker::Assistant, "Tea.")];
    for dialog in [Vec::new(), ends_wrong, asks("  ")] {
        assert_eq!(once(&stage, dialog).await.unwrap_err().code, FaultCode::BadInput);
    }
    assert_eq!(stage.runs().await, []);
}

#[tokio::test]
async fn a_report_of_what_passed_and_a_link_are_said_whole() {
    for said in [
        "[PASS] auth\n[PASS] db\n[FAIL] ui: the button is missing",
        "[PASS] all good",
        "[Pass](https://pass.example/) is the page",
        "[pass] auth\n[fail] ui",
    ] {
        let stage = stage().model(says(said)).open().await;
        let once = once(&stage, asks("Run the tests")).await.unwrap();
        assert_eq!(once.reply.as_deref(), Some(said));
    }
}

#[tokio::test]
async fn who_begins_by_passing_has_passed_and_says_why() {
    for (said, why) in
        [("[pass] because it is late", "because it is late"), ("[pass]\nAda: I", "I")]
    {
        let stage = stage().model(says(said)).open().await;
        let once = once(&stage, asks("Tea?")).await.unwrap();
        assert_eq!(once.reply, None);
        let reason = Reason::ChoseSilence { why: Some(why.into()) };
        assert_eq!(once.run.outcome, Some(Outcome::Silent { reason }), "{said}");
    }
}
