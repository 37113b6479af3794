//! What a day may cost, and what the next one brings.

use super::{answers, budget, last_fault, limit, settled, used};
use domain::{
    AgentState, BudgetScope, Command, GroupId, Query, Reply, Target, TransitionCause, TurnPolicy,
};
use llm::scripted::Scripted;
use std::time::Duration;
use tests::{Stage, stage};

// Seen in chaitanyagiri/munder-difflin#288, microsoft/agent-framework#4142.
#[tokio::test]
async fn what_was_spent_counts_after_a_restart_and_on_the_next_day_no_more() {
    let stage = stage().model(Scripted::from_fn(|_, _| answers("yes", used(9_000, 500)))).open();
    let stage = stage.await;
    let ada = stage.direct("Ada").await;
    limit(&stage, BudgetScope::Day, Some(12_000), None).await;
    stage.say(ada, "one").await;
    let stage = stage.reopen().await;
    assert_eq!(budget(&stage, BudgetScope::Day).await.spent_tokens, 9_500);
    stage.post(ada, "two").await;
    settled(&stage).await;
    stage.quiet().await;
    assert_eq!(stage.model.requests().len(), 1);

    stage.clock.advance(Duration::from_secs(24 * 60 * 60));
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::SpeakNow { group: ada, agent }).await;
    stage.quiet().await;
    assert_eq!(stage.model.requests().len(), 2);
    assert_eq!(budget(&stage, BudgetScope::Day).await.spent_tokens, 9_500);
}

const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Ada, who has used up the day after one answer and owes a second one.
async fn used_up() -> (Stage, GroupId) {
    let model = Scripted::from_fn(|_, _| answers("yes", used(9_000, 500)));
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    limit(&stage, BudgetScope::Day, Some(12_000), None).await;
    stage.say(ada, "one").await;
    stage.post(ada, "two").await;
    stage.quiet().await;
    assert!(has_stopped(&stage, ada).await);
    (stage, ada)
}

async fn has_stopped(stage: &Stage, group: GroupId) -> bool {
    stage.view(group).await.group.problem.is_some()
}

async fn answers_of(stage: &Stage, group: GroupId) -> usize {
    stage.transcript(group).await.iter().filter(|line| line.starts_with("Ada: ")).count()
}

/// More room, and the next day, mend what had stopped it; that everybody rests stands.
#[tokio::test]
async fn while_everybody_rests_nobody_comes_back_for_a_budget() {
    for more in [true, false] {
        let (stage, ada) = used_up().await;
        stage.do_(Command::PauseAll).await;
        match more {
            true => limit(&stage, BudgetScope::Day, None, None).await,
            false => stage.clock.advance(A_DAY),
        }
        stage.post(ada, "still there?").await;
        stage.quiet().await;
        let agent = stage.agent("Ada").await;
        assert_eq!((agent.state, agent.problem), (AgentState::Paused, None), "{more}");
        assert_eq!(answers_of(&stage, ada).await, 1);
        stage.do_(Command::ResumeAll).await;
        stage.quiet().await;
        assert_eq!(answers_of(&stage, ada).await, 2);
    }
}

#[tokio::test]
async fn who_used_up_a_day_is_back_with_the_first_message_of_the_next() {
    let (stage, ada) = used_up().await;
    let fix = last_fault(&stage).await.fix;
    assert!(fix.starts_with("wait until midnight UTC, or raise it"), "{fix}");
    stage.clock.advance(A_DAY);
    stage.say(ada, "a new day").await;
    assert!(!has_stopped(&stage, ada).await);
    assert_eq!(answers_of(&stage, ada).await, 2, "all that waited has one answer");
    let decided = stage.decisions(ada).await;
    assert_eq!(decided.last().unwrap(), "Ada speak default_responder", "it is counted on");
}

/// For its own limit the agent stops.
#[tokio::test]
async fn who_used_up_its_own_day_is_back_with_the_first_message_of_the_next() {
    let model = Scripted::from_fn(|_, _| answers("yes", used(9_000, 500)));
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    limit(&stage, BudgetScope::AnyAgent, Some(12_000), None).await;
    stage.say(ada, "one").await;
    stage.post(ada, "two").await;
    stage.until(async |stage: &Stage| stage.agent("Ada").await.state == AgentState::Error).await;
    stage.clock.advance(A_DAY);
    stage.say(ada, "a new day").await;
    let agent = stage.agent("Ada").await;
    assert_eq!((agent.state, agent.problem), (AgentState::Idle, None));
    assert_eq!(answers_of(&stage, ada).await, 2, "all that waited has one answer");
    let Ok(Reply::AgentDetail(detail)) = stage.query(Query::Agent { agent: agent.id }).await else {
        panic!("no detail")
    };
    let causes = detail.transitions.into_iter().map(|transition| transition.cause);
    assert_eq!(causes.filter(|cause| *cause == TransitionCause::NewDay).count(), 1);
}

#[tokio::test]
async fn what_a_person_stops_while_it_waits_for_a_new_day_is_called_off() {
    let (stage, ada) = used_up().await;
    stage.do_(Command::Stop { target: Target::Group(ada) }).await;
    assert!(!has_stopped(&stage, ada).await, "it waits for nothing");
    let decided = stage.decisions(ada).await.pop();
    assert_eq!(decided.as_deref(), Some("Ada pass stopped_by_user"));
    stage.clock.advance(A_DAY);
    let stage = stage.reopen().await;
    stage.quiet().await;
    assert_eq!(answers_of(&stage, ada).await, 1);
    stage.say(ada, "three").await;
    assert_eq!(answers_of(&stage, ada).await, 2);
}

#[tokio::test]
async fn what_waited_for_a_new_day_is_answered_at_its_first_start() {
    let (stage, ada) = used_up().await;
    let stage = stage.reopen().await;
    stage.quiet().await;
    assert!(has_stopped(&stage, ada).await, "the day is the same");
    assert_eq!(stage.model.requests().len(), 1);
    stage.clock.advance(A_DAY);
    let stage = stage.reopen().await;
    stage.quiet().await;
    assert_eq!(answers_of(&stage, ada).await, 2);
}

#[tokio::test]
async fn what_waited_for_a_new_day_is_answered_when_it_begins() {
    let (stage, ada) = used_up().await;
    stage.clock.advance(A_DAY);
    let answered = async |stage: &Stage| answers_of(stage, ada).await == 2;
    // The clock is looked at now and then.
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(60)).await;
    tokio::time::resume();
    stage.until(answered).await;
}

/// The turn stays with whose it was.
#[tokio::test]
async fn a_round_that_a_used_up_day_stopped_is_taken_up_where_it_was() {
    let (stage, _) = used_up().await;
    stage.new_agent("Cy").await;
    let group = stage.group(&["Bo", "Cy"], TurnPolicy::Rounds).await;
    stage.post(group, "What do you think?").await;
    stage.quiet().await;
    let asked = ["you: What do you think?", "<run_failed>"];
    assert_eq!(stage.transcript(group).await, asked);
    limit(&stage, BudgetScope::Day, None, None).await;
    stage.quiet().await;
    let said = stage.transcript(group).await;
    assert_eq!(said[asked.len()], "Bo: yes", "{said:?}");
}

/// Each in turn meets its own limit, and the last one has the turn when there is room again.
#[tokio::test]
async fn a_round_in_which_all_had_used_up_their_days_is_taken_up_when_there_is_room() {
    let stage = stage().open().await;
    stage.new_agent("Cy").await;
    let group = stage.group(&["Bo", "Cy"], TurnPolicy::Rounds).await;
    limit(&stage, BudgetScope::AnyAgent, Some(0), None).await;
    stage.post(group, "What do you think?").await;
    stage.quiet().await;
    let asked = ["you: What do you think?", "<run_failed>", "<run_failed>"];
    assert_eq!(stage.transcript(group).await, asked);
    limit(&stage, BudgetScope::AnyAgent, None, None).await;
    stage.quiet().await;
    let said = stage.transcript(group).await;
    assert_eq!(said[asked.len()], "Cy: yes", "{said:?}");
}

#[tokio::test]
async fn a_new_day_helps_nobody_who_may_spend_nothing() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    limit(&stage, BudgetScope::AnyAgent, Some(0), None).await;
    stage.post(ada, "hello").await;
    stage.until(async |stage: &Stage| stage.agent("Ada").await.state == AgentState::Error).await;
    stage.clock.advance(A_DAY);
    let stage = stage.reopen().await;
    assert_eq!(stage.agent("Ada").await.state, AgentState::Error);
    assert_eq!(stage.transcript(ada).await, ["you: hello", "<run_failed>"]);
}

#[tokio::test]
async fn what_was_set_for_somebody_who_is_gone_is_not_listed() {
    let stage = stage().open().await;
    let agent = stage.new_agent("Visitor").await;
    let scope = BudgetScope::Agent(agent);
    limit(&stage, scope, Some(50_000), None).await;
    assert!(budget(&stage, scope).await.set);
    stage.do_(Command::TerminateAgent { agent }).await;
    let Ok(Reply::Budgets(all)) = stage.query(Query::Budgets).await else { panic!("no budgets") };
    assert!(all.iter().all(|state| state.budget.scope != scope), "{all:?}");
}
