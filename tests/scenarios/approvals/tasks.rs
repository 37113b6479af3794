//! What is allowed for longer than once to somebody who works on a task.

use super::*;

const BOSS: &str =
    "---\nname: Boss\ntools: [\"*\"]\ndelegates: [ada, gus]\nplan: never\n---\nYou lead.\n";

/// Boss gives every message as a task to whom it names; they count, and so does Boss when told.
fn has_it_counted() -> Scripted {
    Scripted::from_fn(|request, _| {
        let Some(last) = request.turns.last() else { return vec![] };
        let counts = || vec![call("n", "count", json!({}))];
        match (last.role == Role::Tool, speaker(request).as_str()) {
            (true, _) => vec![Beat::Text(last.content.clone())],
            (false, "Boss") if last.content.contains("yourself") => counts(),
            (false, "Boss") => {
                let to = if last.content.contains("Gus ") { "gus" } else { "ada" };
                vec![call("c", "delegate", json!({"to": to, "task": "count, please"}))]
            }
            (false, _) => counts(),
        }
    })
}

async fn led_by_boss(counter: &Counter) -> (Stage, GroupId) {
    let stage = open(has_it_counted(), counter).await;
    for (soul, text) in [("boss", BOSS.to_owned()), ("gus", SOUL.replace("Ada", "Gus"))] {
        stage.do_(Command::SaveSoul { soul: soul.into(), text, base_hash: None }).await;
    }
    let boss = Command::NewAgent { soul: "boss".into(), name: None, model: None, parent: None };
    stage.do_(boss).await;
    let direct = stage.direct("Boss").await;
    (stage, direct)
}

/// Says it there, and gives what was asked about it.
async fn asked_about(stage: &Stage, group: GroupId, text: &str) -> Approval {
    stage.post(group, text).await;
    asked(stage).await
}

async fn deny(stage: &Stage, asked: &Approval) {
    answer(stage, asked, Consent::Deny, None).await.expect("in time");
    stage.quiet().await;
}

#[tokio::test]
async fn what_is_always_allowed_in_a_task_holds_for_its_soul_in_the_next_one() {
    let counter = Counter::risky();
    let (stage, boss) = led_by_boss(&counter).await;
    let first = asked_about(&stage, boss, "have Ada count").await;
    let (leader, ada) = (stage.agent("Boss").await.id, id_of(&stage).await);
    assert!(first.agent != leader && first.agent != ada && first.group != boss);
    answer(&stage, &first, Consent::Always, None).await.expect("in time");
    stage.quiet().await;
    assert_eq!(counter.uses(), 1);
    let [grant] = &grants(&stage).await[..] else { panic!("one grant") };
    assert_eq!((grant.agent, grant.group), (leader, boss));
    assert_eq!(grant.soul.as_deref(), Some("ada"));

    // The next task is somebody else's of that soul, also after a restart.
    stage.say(boss, "have Ada count again").await;
    assert_eq!((counter.uses(), grants(&stage).await[0].uses), (2, 2));
    let stage = stage.reopen_with(Some(has_it_counted())).await;
    stage.say(boss, "have Ada count once more").await;
    assert_eq!(counter.uses(), 3);

    // It is no word about anybody else, nor about another place.
    deny(&stage, &asked_about(&stage, boss, "count yourself").await).await;
    deny(&stage, &asked_about(&stage, boss, "have Gus count").await).await;
    let direct = stage.direct("Ada").await;
    deny(&stage, &asked_about(&stage, direct, "count, please").await).await;
    let there = stage.group(&["Ada", "Boss"], TurnPolicy::Mention).await;
    deny(&stage, &asked_about(&stage, there, "@Boss, have Ada count").await).await;
    assert_eq!(counter.uses(), 3);

    let grant = grants(&stage).await.remove(0).id;
    stage.do_(Command::RevokeGrant { grant }).await;
    deny(&stage, &asked_about(&stage, boss, "have Ada count again").await).await;
    assert_eq!(counter.uses(), 3);
    goes_the_same_way_again(&stage).await;
}

#[tokio::test]
async fn what_is_allowed_in_one_task_answers_what_waits_in_another_of_its_soul() {
    let counter = Counter::risky();
    let both = Scripted::from_fn(|request, _| {
        let Some(last) = request.turns.last() else { return vec![] };
        let task = |id| call(id, "delegate", json!({"to": "ada", "task": "count, please"}));
        match (last.role == Role::Tool, speaker(request).as_str()) {
            (true, _) => vec![Beat::Text("done".into())],
            (false, "Boss") => vec![task("c1"), task("c2")],
            (false, _) => vec![call("n", "count", json!({}))],
        }
    });
    let (stage, boss) = led_by_boss(&counter).await;
    let stage = stage.reopen_with(Some(both)).await;
    stage.post(boss, "have it counted twice").await;
    stage.until(async |stage: &Stage| stage.overview().await.approvals.len() == 2).await;
    let first = asked(&stage).await;
    answer(&stage, &first, Consent::Session, None).await.expect("in time");
    stage.quiet().await;
    assert_eq!((counter.uses(), stage.overview().await.approvals.len()), (2, 0));
}

#[tokio::test]
async fn what_was_allowed_in_tasks_ends_with_the_agent_that_gave_them() {
    let counter = Counter::risky();
    let (stage, boss) = led_by_boss(&counter).await;
    let first = asked_about(&stage, boss, "have Ada count").await;
    answer(&stage, &first, Consent::Always, None).await.expect("in time");
    stage.quiet().await;
    assert_eq!(grants(&stage).await.len(), 1);
    let agent = stage.agent("Boss").await.id;
    stage.do_(Command::TerminateAgent { agent }).await;
    assert_eq!(grants(&stage).await, []);
}
