//! What was allowed and stands in line behind what is still asked about.

use super::*;
use domain::Step;
use llm::ModelRequest;

/// Wants a file written, and then to count twice.
async fn three_asked(counter: &Counter) -> (Stage, GroupId) {
    let stage = open(wants_three(), counter).await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "do all three").await;
    until_waiting(&stage, 3).await;
    (stage, ada)
}

fn wants_three() -> Scripted {
    let is_done = |request: &ModelRequest| request.turns.iter().any(|turn| turn.role == Role::Tool);
    Scripted::from_fn(move |request, _| match is_done(request) {
        true => vec![Beat::Text("done".into())],
        false => vec![
            call("a", "write_file", json!({"path": "plan.md", "content": "tea"})),
            call("b", "count", json!({})),
            call("c", "count", json!({})),
        ],
    })
}

async fn until_waiting(stage: &Stage, many: usize) {
    stage.until(async |stage: &Stage| stage.overview().await.approvals.len() == many).await;
}

async fn named(stage: &Stage, tool: &str) -> Approval {
    let all = stage.overview().await.approvals;
    all.into_iter().find(|asked| asked.tool == tool).expect("it is asked")
}

async fn states(stage: &Stage) -> Vec<ApprovalState> {
    let mut states: Vec<_> = approvals(stage).await.iter().map(|one| one.state).collect();
    states.sort_by_key(|state| format!("{state:?}"));
    states
}

/// Allows all counting, and gives the permission.
async fn allow_counting(stage: &Stage) -> Grant {
    let asked = named(stage, "count").await;
    answer(stage, &asked, Consent::Session, Some(Covers::AnyUse)).await.expect("in time");
    until_waiting(stage, 1).await;
    grants(stage).await.remove(0)
}

#[tokio::test]
async fn what_a_permission_covers_is_asked_again_where_that_was_taken_back_before_it_began() {
    let counter = Counter::risky();
    let (stage, ada) = three_asked(&counter).await;
    let grant = allow_counting(&stage).await;
    let expected = [ApprovalState::Covered, ApprovalState::Covered, ApprovalState::Waiting];
    assert_eq!(states(&stage).await, expected, "also the one on whose card it was given");
    stage.do_(Command::RevokeGrant { grant: grant.id }).await;
    answer(&stage, &named(&stage, "write_file").await, Consent::Once, None).await.expect("in time");
    deny_both(&stage).await;
    assert_eq!((last_said(&stage, ada).await.as_str(), counter.uses()), ("Ada: done", 0));
    goes_the_same_way_again(&stage).await;
}

/// Both counts are asked about again, one after the other is begun.
async fn deny_both(stage: &Stage) {
    for _ in 0..2 {
        let is_asked = async |stage: &Stage| {
            stage.overview().await.approvals.iter().any(|asked| asked.tool == "count")
        };
        stage.until(is_asked).await;
        let again = named(stage, "count").await;
        answer(stage, &again, Consent::Deny, None).await.expect("in time");
    }
    stage.quiet().await;
}

#[tokio::test]
async fn what_was_allowed_until_coterie_ends_is_asked_again_when_it_begins_after_that() {
    let counter = Counter::risky();
    let (stage, _) = three_asked(&counter).await;
    allow_counting(&stage).await;
    let stage = stage.reopen().await;
    answer(&stage, &named(&stage, "write_file").await, Consent::Once, None).await.expect("in time");
    deny_both(&stage).await;
    assert_eq!(counter.uses(), 0);
    assert_eq!(grants(&stage).await, []);
}

#[tokio::test]
async fn what_was_allowed_and_has_not_begun_can_be_taken_back_and_its_turn_knows_both_at_once() {
    let counter = Counter::risky();
    let (stage, ada) = three_asked(&counter).await;
    let counting = named(&stage, "count").await;
    let ended = async || {
        let run = stage.runs().await[0].id;
        let of_it = |step: Step| match step.kind {
            StepKind::ApprovalEnded { call, state } if call == counting.call => Some(state),
            _ => None,
        };
        stage.run(run).await.steps.into_iter().filter_map(of_it).collect::<Vec<_>>()
    };
    answer(&stage, &counting, Consent::Once, None).await.expect("in time");
    assert_eq!(ended().await, [ApprovalState::Allowed], "although others come first");
    answer(&stage, &counting, Consent::Deny, None).await.expect("it has not begun");
    assert_eq!(ended().await, [ApprovalState::Allowed, ApprovalState::Denied]);
    let twice = answer(&stage, &counting, Consent::Once, None).await.expect_err("it is over");
    assert_eq!(twice.code, FaultCode::Refused);
    for tool in ["write_file", "count"] {
        let asked = named(&stage, tool).await;
        answer(&stage, &asked, Consent::Once, None).await.expect("in time");
    }
    stage.quiet().await;
    assert_eq!((last_said(&stage, ada).await.as_str(), counter.uses()), ("Ada: done", 1));
    goes_the_same_way_again(&stage).await;
}

#[tokio::test]
async fn what_is_said_while_others_come_first_is_heard_before_the_next_begins() {
    let counter = Counter::risky();
    let (stage, ada) = three_asked(&counter).await;
    for asked in stage.overview().await.approvals {
        if asked.tool == "count" {
            answer(&stage, &asked, Consent::Once, None).await.expect("in time");
        }
    }
    stage.post(ada, "Wait, do not count.").await;
    answer(&stage, &named(&stage, "write_file").await, Consent::Once, None).await.expect("in time");
    stage.quiet().await;
    assert_eq!((last_said(&stage, ada).await.as_str(), counter.uses()), ("Ada: done", 0));
    let left_out = "skipped: something new was said before this was begun";
    let request = stage.model.requests().pop().expect("it answers");
    let told = request.turns.iter().filter(|turn| turn.content == left_out).count();
    assert_eq!(told, 2);
    assert!(stage.data().join("desk/plan.md").exists());
    goes_the_same_way_again(&stage).await;
}
