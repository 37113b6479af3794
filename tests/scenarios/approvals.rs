//! Risky uses of tools: what a person is asked, what comes of each answer, and
//! what a stop, a pause, a restart or a crash leaves of a question.

mod as_its_soul_says;
mod blocked;
mod in_line;
mod reach;
mod tasks;

use domain::{
    AgentId, AgentState, Approval, ApprovalState, Approvals, BlockedUse, CallId, CallState,
    Command, Consent, Covers, Fault, FaultCode, FaultKind, Grant, GroupId, Limits, Need, NeedOf,
    Query, Reply, SettingsPatch, StepKind, Target, TurnPolicy,
};
use llm::scripted::{Beat, Scripted};
use llm::{Role, ToolCallDelta};
use serde_json::{Value, json};
use std::time::Duration;
use tests::{Counter, Stage, speaker, stage};

const SOUL: &str = "---\nname: Ada\nrole: helper\ntools: [\"*\"]\nroots: [desk]\n---\nYou help.\n";

pub(crate) fn call(id: &str, name: &str, arguments: Value) -> Beat {
    let (id, name) = (id.to_owned(), Some(name.to_owned()));
    Beat::ToolCall(ToolCallDelta { id, name, arguments: arguments.to_string() })
}

/// Makes this call after each word of a person, and then says what came of it.
pub(crate) fn does(name: &'static str, arguments: Value) -> Scripted {
    Scripted::from_fn(move |request, _| {
        if speaker(request) != "Ada" {
            return vec![Beat::Text("here".into())];
        }
        match request.turns.last() {
            Some(turn) if turn.role == Role::Tool => vec![Beat::Text(turn.content.clone())],
            Some(_) | None => vec![call("c", name, arguments.clone())],
        }
    })
}

/// Ada may use everything, and has a folder.
async fn open(model: Scripted, counter: &Counter) -> Stage {
    let prepare = |data: &std::path::Path| {
        std::fs::create_dir_all(data.join("souls")).expect("a folder");
        std::fs::create_dir_all(data.join("desk")).expect("a folder");
        std::fs::write(data.join("souls/ada.md"), SOUL).expect("a soul");
    };
    stage().before(prepare).model(model).tool(counter.clone()).open().await
}

async fn counting(counter: &Counter) -> (Stage, GroupId) {
    let stage = open(does("count", json!({})), counter).await;
    let ada = stage.direct("Ada").await;
    (stage, ada)
}

/// What is asked next.
pub(crate) async fn asked(stage: &Stage) -> Approval {
    stage.until(async |stage: &Stage| !stage.overview().await.approvals.is_empty()).await;
    stage.overview().await.approvals.remove(0)
}

pub(crate) async fn answer(
    stage: &Stage,
    asked: &Approval,
    consent: Consent,
    covers: Option<Covers>,
) -> Result<Approval, Fault> {
    let (call, binding) = (asked.call, asked.binding.clone());
    match stage.command(Command::AnswerApproval { call, binding, consent, covers }).await? {
        Reply::Approval(approval) => Ok(*approval),
        other => panic!("no approval: {other:?}"),
    }
}

/// What it would take the place of.
async fn replaced(stage: &Stage, asked: &Approval) -> Option<String> {
    match stage.query(Query::Replaced { call: asked.call }).await {
        Ok(Reply::Replaced(replaced)) => replaced,
        other => panic!("nothing is known of it: {other:?}"),
    }
}

#[tokio::test]
async fn who_is_asked_sees_what_a_file_holds_that_would_be_replaced() {
    let written = json!({"path": "plan.md", "content": "tea\n", "replace": true});
    let stage = open(does("write_file", written), &Counter::risky()).await;
    let ada = stage.direct("Ada").await;
    let file = stage.data().join("desk/plan.md");
    std::fs::write(&file, "coffee\n").expect("a file");
    stage.post(ada, "Write it.").await;
    let asked = asked(&stage).await;
    assert_eq!(replaced(&stage, &asked).await.as_deref(), Some("coffee\n"));
    // As it stands now.
    std::fs::remove_file(&file).expect("it goes");
    assert_eq!(replaced(&stage, &asked).await, None);
    let unknown = stage.query(Query::Replaced { call: CallId(Default::default()) }).await;
    assert_eq!(unknown.expect_err("nobody was asked").code, FaultCode::NotFound);
}

/// Asked about a change of the file, the person saves another text there and allows it.
async fn saved_meanwhile(tool: &'static str, given: Value, [before, then]: [&str; 2]) -> Stage {
    let stage = open(does(tool, given), &Counter::risky()).await;
    let ada = stage.direct("Ada").await;
    let file = stage.data().join("desk/plan.md");
    std::fs::write(&file, before).expect("a file");
    stage.post(ada, "Write it.").await;
    let first = asked(&stage).await;
    std::fs::write(&file, then).expect("it is saved");
    answer(&stage, &first, Consent::Once, None).await.expect("it waits");
    stage
}

/// The person may have the file open meanwhile.
#[tokio::test]
async fn what_was_written_while_the_person_was_asked_is_not_replaced_without_another_question() {
    let whole = json!({"path": "plan.md", "content": "tea\n", "replace": true});
    let part = json!({"path": "plan.md", "old": "True", "new": "False"});
    for (tool, given, texts, last) in [
        ("write_file", whole, ["coffee\n", "coffee, and cake\n"], "tea\n"),
        ("edit_file", part, ["debug = True\n", "delete_all = True\n"], "delete_all = False\n"),
    ] {
        let stage = saved_meanwhile(tool, given, texts).await;
        let now = || std::fs::read_to_string(stage.data().join("desk/plan.md")).expect("a file");
        let second = asked(&stage).await;
        assert_eq!(now(), texts[1], "{tool}");
        answer(&stage, &second, Consent::Once, None).await.expect("it waits");
        stage.quiet().await;
        assert_eq!(now(), last);
    }
}

#[tokio::test]
async fn what_was_written_elsewhere_in_the_file_meanwhile_is_not_asked_about() {
    let part = json!({"path": "plan.md", "old": "True", "new": "False"});
    let texts = ["debug = True\n", "# For tests\ndebug = True\n"];
    let stage = saved_meanwhile("edit_file", part, texts).await;
    stage.quiet().await;
    let now = std::fs::read_to_string(stage.data().join("desk/plan.md")).expect("a file");
    assert_eq!(now, "# For tests\ndebug = False\n");
}

async fn approvals(stage: &Stage) -> Vec<Approval> {
    match stage.query(Query::Approvals { limit: 100 }).await {
        Ok(Reply::Approvals(approvals)) => approvals,
        other => panic!("no approvals: {other:?}"),
    }
}

async fn grants(stage: &Stage) -> Vec<Grant> {
    match stage.query(Query::Grants).await {
        Ok(Reply::Grants(grants)) => grants,
        other => panic!("no grants: {other:?}"),
    }
}

async fn set(stage: &Stage, approvals: Approvals) {
    let patch = SettingsPatch { approvals: Some(approvals), ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
}

async fn state_of(stage: &Stage) -> AgentState {
    stage.agent("Ada").await.state
}

/// In the newest run.
async fn came_of_uses(stage: &Stage) -> Vec<CallState> {
    let runs = stage.runs().await;
    let run = runs.iter().max_by_key(|run| run.id.0).expect("a run");
    let state = |kind: &StepKind| match kind {
        StepKind::ToolReturned { state, .. } => Some(*state),
        _ => None,
    };
    stage.run(run.id).await.steps.iter().filter_map(|step| state(&step.kind)).collect()
}

async fn id_of(stage: &Stage) -> AgentId {
    stage.agent("Ada").await.id
}

pub(crate) async fn last_said(stage: &Stage, group: GroupId) -> String {
    stage.transcript(group).await.pop().unwrap_or_default()
}

/// Every run goes the same way again, and nobody is asked.
pub(crate) async fn goes_the_same_way_again(stage: &Stage) {
    for run in stage.runs().await {
        match stage.query(Query::Replay { run: run.id }).await {
            Ok(Reply::Replayed(again)) => assert_eq!(again.difference, None, "{:?}", run.state),
            other => panic!("not replayed: {other:?}"),
        }
    }
}

const NO: &str = "Ada: the person said no: this was not done; do not try it another way";

#[tokio::test]
async fn a_risky_use_waits_for_a_person_and_is_made_when_they_allow_it() {
    let counter = Counter::risky();
    let (stage, ada) = counting(&counter).await;
    stage.post(ada, "count, please").await;
    let question = asked(&stage).await;
    assert_eq!((question.tool.as_str(), &question.arguments), ("count", &json!({})));
    assert_eq!((question.agent, question.group), (id_of(&stage).await, ada));
    assert_eq!(question.expires_ms - question.asked_ms, 10 * 60 * 1000);
    assert_eq!(state_of(&stage).await, AgentState::WaitingApproval);
    assert_eq!(counter.uses(), 0);

    answer(&stage, &question, Consent::Once, None).await.expect("in time");
    stage.quiet().await;
    assert_eq!(last_said(&stage, ada).await, "Ada: counted 1");
    assert_eq!(approvals(&stage).await[0].state, ApprovalState::Used);
    assert_eq!(state_of(&stage).await, AgentState::Idle);
    assert_eq!(grants(&stage).await, []);
    goes_the_same_way_again(&stage).await;
    assert_eq!(counter.uses(), 1);
    // Once is once.
    stage.post(ada, "and again").await;
    let next = asked(&stage).await;
    assert_ne!(next.call, question.call);
    assert_eq!(counter.uses(), 1);
}

// Seen in anthropics/claude-code#86001.
#[tokio::test]
async fn a_denied_use_reaches_the_model_as_a_refusal() {
    let counter = Counter::risky();
    let (stage, ada) = counting(&counter).await;
    stage.post(ada, "count, please").await;
    let question = asked(&stage).await;
    answer(&stage, &question, Consent::Deny, None).await.expect("in time");
    stage.quiet().await;
    assert_eq!((last_said(&stage, ada).await.as_str(), counter.uses()), (NO, 0));
    let run = stage.runs().await[0].id;
    let steps = stage.run(run).await.steps;
    let about = |kind: &StepKind| match kind {
        StepKind::ApprovalAsked { .. } => Some("asked".to_owned()),
        StepKind::ApprovalEnded { state, .. } => Some(format!("{state:?}")),
        StepKind::ToolDispatched { .. } => Some("begun".to_owned()),
        StepKind::ToolReturned { state, .. } => Some(format!("{state:?}")),
        _ => None,
    };
    let told: Vec<String> = steps.iter().filter_map(|step| about(&step.kind)).collect();
    assert_eq!(told, ["asked", "Denied", &format!("{:?}", CallState::Denied)]);
    goes_the_same_way_again(&stage).await;
}

/// A person may write while they are asked. The turn that asks hears it with what came of the
/// use, and answers both.
#[tokio::test]
async fn what_is_written_while_a_use_waits_for_a_word_is_heard_when_that_is_said() {
    for (consent, came, uses) in [(Consent::Once, "counted 1", 1), (Consent::Deny, &NO[5..], 0)] {
        let counter = Counter::risky();
        let model = Scripted::from_fn(|request, _| {
            match request.turns.iter().any(|turn| turn.role == Role::Tool) {
                true => vec![Beat::Text("both".into())],
                false => vec![call("c", "count", json!({}))],
            }
        });
        let stage = open(model, &counter).await;
        let ada = stage.direct("Ada").await;
        stage.post(ada, "count, please").await;
        let question = asked(&stage).await;
        stage.post(ada, "and tell me when").await;
        answer(&stage, &question, consent, None).await.expect("in time");
        stage.quiet().await;
        let said = ["you: count, please", "you: and tell me when", "Ada: both"];
        assert_eq!(stage.transcript(ada).await, said);
        let request = stage.model.requests().pop().expect("it was asked again");
        let told: Vec<&str> = request.turns.iter().map(|turn| turn.content.as_str()).collect();
        assert_eq!(told[told.len() - 2..], [came, "and tell me when"]);
        assert_eq!((stage.runs().await.len(), counter.uses()), (1, uses));
        goes_the_same_way_again(&stage).await;
    }
}

// Seen in MervinPraison/PraisonAI#2326, qf-studio/pilot#4411, objectstack#4420.
#[tokio::test]
async fn a_question_outlives_the_process_and_its_turn_goes_on_when_it_is_answered() {
    let counter = Counter::risky();
    let (stage, ada) = counting(&counter).await;
    stage.post(ada, "count, please").await;
    let question = asked(&stage).await;
    // More restarts than any turn is tried.
    let mut stage = stage.crash(does("count", json!({}))).await;
    let as_first = |asked: Approval| Approval { run: question.run, ..asked };
    for _ in 0..4 {
        assert_eq!(as_first(asked(&stage).await), question, "by whichever try of the turn");
        stage
            .until(async |stage: &Stage| state_of(stage).await == AgentState::WaitingApproval)
            .await;
        stage = stage.reopen().await;
    }
    assert_eq!(as_first(asked(&stage).await), question);
    answer(&stage, &question, Consent::Once, None).await.expect("in time");
    stage.quiet().await;
    assert_eq!(last_said(&stage, ada).await, "Ada: counted 1");
    assert_eq!(counter.uses(), 1);
    goes_the_same_way_again(&stage).await;
}

// Seen in Agenta-AI/agenta#5592.
#[tokio::test]
async fn an_answer_waits_for_a_turn_that_rests() {
    let counter = Counter::risky();
    let (stage, ada) = counting(&counter).await;
    stage.post(ada, "count, please").await;
    let question = asked(&stage).await;
    let agent = id_of(&stage).await;
    stage.do_(Command::PauseAgent { agent }).await;
    let answered = answer(&stage, &question, Consent::Once, None).await.expect("in time");
    assert_eq!(answered.state, ApprovalState::Allowed);
    let stage = stage.reopen().await;
    assert_eq!((state_of(&stage).await, counter.uses()), (AgentState::Paused, 0));
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    assert_eq!((last_said(&stage, ada).await.as_str(), counter.uses()), ("Ada: counted 1", 1));
}

#[tokio::test]
async fn no_answer_in_time_is_no_and_a_late_one_changes_nothing() {
    let counter = Counter::risky();
    let (stage, ada) = counting(&counter).await;
    set(&stage, Approvals { minutes: 2, ..Approvals::default() }).await;
    stage.post(ada, "count, please").await;
    let question = asked(&stage).await;
    stage.clock.advance(Duration::from_secs(121));
    assert_eq!(stage.overview().await.approvals, []);
    let late = answer(&stage, &question, Consent::Always, None).await.expect_err("too late");
    let kind = FaultKind::ApprovalOver { how: ApprovalState::Expired };
    assert_eq!((late.code, late.kind), (FaultCode::Refused, Some(Box::new(kind))));
    stage.quiet().await;
    let said = "Ada: nobody answered in time whether this may be done, so it was not done";
    assert_eq!((last_said(&stage, ada).await.as_str(), counter.uses()), (said, 0));
    assert_eq!(came_of_uses(&stage).await, [CallState::Expired], "nobody said no");
    assert_eq!(grants(&stage).await, []);
}

#[tokio::test]
async fn a_question_whose_time_ran_out_while_nobody_was_there_is_a_no() {
    let counter = Counter::risky();
    let (stage, ada) = counting(&counter).await;
    stage.post(ada, "count, please").await;
    asked(&stage).await;
    stage.clock.advance(Duration::from_secs(3600));
    let stage = stage.reopen().await;
    stage.quiet().await;
    assert!(last_said(&stage, ada).await.contains("nobody answered in time"));
    assert_eq!(approvals(&stage).await[0].state, ApprovalState::Expired);
    assert_eq!(counter.uses(), 0);
}

#[tokio::test]
async fn a_late_answer_does_not_bring_a_stopped_turn_back() {
    let counter = Counter::risky();
    let (stage, ada) = counting(&counter).await;
    stage.post(ada, "count, please").await;
    let question = asked(&stage).await;
    stage.do_(Command::Stop { target: Target::Group(ada) }).await;
    stage.quiet().await;
    let late = answer(&stage, &question, Consent::Once, None).await.expect_err("too late");
    let kind = FaultKind::ApprovalOver { how: ApprovalState::Withdrawn };
    assert_eq!(late.kind, Some(Box::new(kind)));
    assert_eq!(state_of(&stage).await, AgentState::Idle);
    let stage = stage.reopen().await;
    stage.quiet().await;
    assert_eq!((counter.uses(), stage.overview().await.approvals), (0, Vec::new()));
}

#[tokio::test]
async fn what_is_answered_is_what_was_seen() {
    let counter = Counter::risky();
    let (stage, ada) = counting(&counter).await;
    stage.post(ada, "count, please").await;
    let question = asked(&stage).await;
    let other = Approval { binding: "another".into(), ..question.clone() };
    let refused = answer(&stage, &other, Consent::Once, None).await.expect_err("another");
    assert_eq!(refused.kind, Some(Box::new(FaultKind::ApprovalChanged)));
    let unknown = Approval { call: CallId(ada.0), ..question.clone() };
    let refused = answer(&stage, &unknown, Consent::Once, None).await.expect_err("unknown");
    assert_eq!(refused.code, FaultCode::NotFound);
    assert_eq!(counter.uses(), 0);
    answer(&stage, &question, Consent::Deny, None).await.expect("in time");
    let twice = answer(&stage, &question, Consent::Once, None).await.expect_err("answered");
    assert_eq!(twice.code, FaultCode::Refused);
}

// Seen in opencode#9554.
#[tokio::test]
async fn what_is_always_allowed_is_for_this_agent_and_group_until_it_is_revoked() {
    let counter = Counter::risky();
    let (stage, ada) = counting(&counter).await;
    stage.post(ada, "count, please").await;
    let question = asked(&stage).await;
    answer(&stage, &question, Consent::Always, None).await.expect("in time");
    stage.quiet().await;
    stage.clock.advance(Duration::from_secs(5));
    let stage = stage.reopen().await;
    stage.say(ada, "and again").await;
    assert_eq!((last_said(&stage, ada).await.as_str(), counter.uses()), ("Ada: counted 2", 2));
    let [grant] = &grants(&stage).await[..] else { panic!("one grant") };
    assert_eq!((grant.agent, grant.group, grant.tool.as_str()), (question.agent, ada, "count"));
    assert_eq!(grant.covers, Covers::Arguments { arguments: json!({}) });
    let used = (grant.uses, grant.used_ms);
    assert_eq!(used, (2, Some(question.asked_ms + 5000)), "also the use that it was given for");

    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.post(group, "@Ada count here").await;
    let elsewhere = asked(&stage).await;
    assert_eq!(elsewhere.group, group);
    answer(&stage, &elsewhere, Consent::Deny, None).await.expect("in time");
    stage.quiet().await;

    stage.do_(Command::RevokeGrant { grant: grant.id }).await;
    stage.post(ada, "once more").await;
    asked(&stage).await;
    assert_eq!(counter.uses(), 2);
}

/// Two uses of the counter and a file, called for by one answer.
#[tokio::test]
async fn what_is_allowed_from_now_on_answers_what_else_waits_for_it() {
    let counter = Counter::risky();
    let model = Scripted::from_fn(|request, _| match request.turns.last() {
        Some(turn) if turn.role == Role::Tool => vec![Beat::Text("done".into())],
        Some(_) | None => vec![
            call("a", "count", json!({})),
            call("b", "count", json!({})),
            call("c", "write_file", json!({"path": "plan.md", "content": "tea"})),
        ],
    });
    let stage = open(model, &counter).await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "count twice").await;
    stage.until(async |stage: &Stage| stage.overview().await.approvals.len() == 3).await;
    let mut waiting = stage.overview().await.approvals;
    waiting.retain(|one| one.tool == "count");
    let [first, second] = &waiting[..] else { panic!("two: {waiting:?}") };
    let any = Some(Covers::AnyUse);
    answer(&stage, first, Consent::Always, any).await.expect("in time");
    stage.until(async |stage: &Stage| stage.overview().await.approvals.len() == 1).await;
    stage.until(async |_: &Stage| counter.uses() == 2).await;
    let [grant] = &grants(&stage).await[..] else { panic!("one grant") };
    assert_eq!((grant.uses, grant.used_ms), (2, Some(first.asked_ms)));

    // What it is not for still waits.
    let file = asked(&stage).await;
    assert_eq!(file.tool, "write_file");
    answer(&stage, &file, Consent::Deny, None).await.expect("in time");
    stage.quiet().await;
    let states = approvals(&stage).await;
    let state = |call| states.iter().find(|one| one.call == call).map(|one| one.state);
    assert_eq!(state(second.call), Some(ApprovalState::Used));
    assert_eq!(state(file.call), Some(ApprovalState::Denied));
    let run = stage.runs().await.pop().expect("she took a turn");
    let steps = stage.run(run.id).await.steps;
    let mut by: Vec<_> = steps
        .iter()
        .filter_map(|step| match step.kind {
            StepKind::Granted { call, grant } => Some((call, grant)),
            _ => None,
        })
        .collect();
    // Both asked in one millisecond: neither is the earlier.
    let mut both = [first, second].map(|one| (one.call, grant.id));
    both.sort();
    by.sort();
    assert_eq!(by, both, "on record as what the permission was used for");
    goes_the_same_way_again(&stage).await;
}

#[tokio::test]
async fn what_is_allowed_for_a_session_ends_with_it() {
    let counter = Counter::risky();
    let (stage, ada) = counting(&counter).await;
    stage.post(ada, "count, please").await;
    answer(&stage, &asked(&stage).await, Consent::Session, None).await.expect("in time");
    stage.quiet().await;
    stage.say(ada, "and again").await;
    assert_eq!(counter.uses(), 2);
    let stage = stage.reopen().await;
    assert_eq!(grants(&stage).await, []);
    stage.post(ada, "and now?").await;
    asked(&stage).await;
    assert_eq!(counter.uses(), 2);
}

#[tokio::test]
async fn no_permission_passes_what_a_person_put_on_the_list_of_what_never_happens() {
    let counter = Counter::risky();
    let (stage, ada) = counting(&counter).await;
    stage.post(ada, "count, please").await;
    let any = Some(Covers::AnyUse);
    answer(&stage, &asked(&stage).await, Consent::Always, any).await.expect("in time");
    stage.quiet().await;
    let blocked = vec![BlockedUse { tool: "c*".into(), pattern: "{*".into(), group: None }];
    set(&stage, Approvals { blocked, ..Approvals::default() }).await;
    stage.say(ada, "and again").await;
    assert!(last_said(&stage, ada).await.starts_with("Ada: blocked: the person has put this on"));
    assert_eq!(came_of_uses(&stage).await, [CallState::Blocked], "nobody was asked");
    assert_eq!(counter.uses(), 1);
}

#[tokio::test]
async fn who_waits_for_a_person_holds_up_nobody_else() {
    let counter = Counter::risky();
    let (stage, ada) = counting(&counter).await;
    let limits = Limits { max_concurrent: 1, ..Limits::default() };
    let patch = SettingsPatch { limits: Some(limits), ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    stage.post(ada, "count, please").await;
    asked(&stage).await;
    let bo = stage.direct("Bo").await;
    stage.post(bo, "are you there?").await;
    stage.until(async |stage: &Stage| last_said(stage, bo).await == "Bo: here").await;
    assert_eq!(state_of(&stage).await, AgentState::WaitingApproval);
}

#[tokio::test]
async fn a_file_is_written_where_a_person_allows_it_and_in_the_agents_own_folder_unasked() {
    let counter = Counter::risky();
    let arguments = json!({"path": "plan.md", "content": "tea\n"});
    let stage = open(does("write_file", arguments), &counter).await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "write it down").await;
    let question = asked(&stage).await;
    let file = stage.data().canonicalize().expect("a folder").join("desk/plan.md");
    assert_eq!(question.target, Some(file.display().to_string()));
    assert!(!file.exists());
    let folder = question.like.clone().expect("a folder");
    let misfit = Some(Covers::Target { pattern: "/elsewhere/*".into() });
    let refused = answer(&stage, &question, Consent::Always, misfit).await.expect_err("a misfit");
    assert_eq!(refused.code, FaultCode::BadInput);
    let covers = Some(Covers::Target { pattern: folder });
    answer(&stage, &question, Consent::Always, covers).await.expect("in time");
    stage.quiet().await;
    assert_eq!(std::fs::read_to_string(&file).expect("written"), "tea\n");

    let own = stage.data().join("folders").join(id_of(&stage).await.to_string());
    let path = own.canonicalize().expect("it has one").join("notes.md");
    let arguments = json!({"path": path, "content": "mine"});
    let stage = stage.reopen_with(Some(does("write_file", arguments))).await;
    stage.say(ada, "and for yourself").await;
    assert_eq!(std::fs::read_to_string(path).expect("written"), "mine");
    // What makes the agent what it is, it cannot touch, whoever would allow it.
    let soul = stage.data().canonicalize().expect("a folder").join("souls/ada.md");
    let soul_text = std::fs::read_to_string(&soul).expect("a soul");
    let arguments = json!({"path": soul, "content": "---\ntools: ['*']\n---\n", "replace": true});
    let stage = stage.reopen_with(Some(does("write_file", arguments))).await;
    stage.say(ada, "become somebody else").await;
    assert!(last_said(&stage, ada).await.contains("leads out of your folders"));
    assert_eq!(std::fs::read_to_string(&soul).expect("a soul"), soul_text);
}
