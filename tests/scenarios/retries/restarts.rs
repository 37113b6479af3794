//! Who stopped for what passes goes on by itself.

use super::{BUSY, fails, said, says};
use domain::{AgentState, Command, GroupId, Query, Reply, TransitionCause};
use llm::Trouble;
use llm::scripted::Scripted;
use std::time::Duration;
use tests::{Stage, stage};

const MINUTE: Duration = Duration::from_secs(60);

/// Fails so often, and then answers.
fn away_for(calls: usize, trouble: Trouble) -> Scripted {
    Scripted::from_fn(move |_, n| if n <= calls { fails(trouble) } else { says("here") })
}

/// Ada was asked, and has stopped.
async fn stopped(model: Scripted) -> (Stage, GroupId) {
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "are you there?").await;
    has_stopped(&stage).await;
    (stage, ada)
}

async fn has_stopped(stage: &Stage) {
    stage.until(async |stage: &Stage| stage.agent("Ada").await.state == AgentState::Error).await;
}

/// Has answered, and stopped no more than that.
async fn answers(stage: &Stage, ada: GroupId) {
    let expected = ["<run_failed>", "Ada: here"];
    stage.until(async |stage: &Stage| said(stage, ada).await == expected).await;
    assert_eq!(stage.agent("Ada").await.problem, None);
}

/// So that whoever looks at the clock has looked twice.
async fn looked() {
    tokio::time::sleep(Duration::from_secs(61)).await;
}

async fn restarts(stage: &Stage) -> usize {
    let agent = stage.agent("Ada").await.id;
    match stage.query(Query::Agent { agent }).await {
        Ok(Reply::AgentDetail(detail)) => {
            let causes = detail.transitions.iter().map(|change| &change.cause);
            causes.filter(|cause| **cause == TransitionCause::Restarted).count()
        }
        other => panic!("no detail: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn it_answers_what_waits_a_minute_later() {
    for trouble in [BUSY, Trouble::ServerError, Trouble::Unreachable, Trouble::Engine] {
        let (stage, ada) = stopped(away_for(3, trouble)).await;
        looked().await;
        assert_eq!(restarts(&stage).await, 0, "{trouble:?}: it is not due");
        stage.clock.advance(MINUTE);
        answers(&stage, ada).await;
        assert_eq!(restarts(&stage).await, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn each_pause_is_longer_and_the_same_is_said_once() {
    let (stage, ada) = stopped(away_for(6, BUSY)).await;
    stage.clock.advance(MINUTE);
    stage.model.asked(6).await;
    has_stopped(&stage).await;
    assert_eq!(said(&stage, ada).await, ["<run_failed>"]);
    stage.clock.advance(3 * MINUTE);
    looked().await;
    assert_eq!((restarts(&stage).await, stage.model.requests().len()), (1, 6));
    stage.clock.advance(MINUTE);
    answers(&stage, ada).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_said_to_it_alone_is_tried_at_once() {
    let (stage, ada) = stopped(away_for(3, BUSY)).await;
    stage.say(ada, "and now?").await;
    assert_eq!(said(&stage, ada).await, ["<run_failed>", "Ada: here"]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_a_person_asks_for_again_is_tried_at_once() {
    let model = Scripted::from_fn(|_, n| match n {
        2..=4 => fails(BUSY),
        _ => says("here"),
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "one").await;
    let first = stage.messages(ada).await.pop().expect("an answer");
    stage.post(ada, "two").await;
    has_stopped(&stage).await;
    stage.do_(Command::AnswerAgain { message: first.id }).await;
    stage.quiet().await;
    assert_eq!(said(&stage, ada).await, ["Ada: here"]);
    assert_eq!(stage.agent("Ada").await.problem, None);
}

/// A person has to do something about it, or has said that all rest.
#[tokio::test(start_paused = true)]
async fn what_does_not_pass_by_itself_is_not_tried_again() {
    for trouble in [Trouble::Key, Trouble::UnknownModel, Trouble::ModelFile] {
        let (stage, ada) = stopped(away_for(usize::MAX, trouble)).await;
        let asked = stage.model.requests().len();
        stage.clock.advance(60 * MINUTE);
        looked().await;
        stage.post(ada, "and now?").await;
        looked().await;
        assert_eq!((restarts(&stage).await, stage.model.requests().len()), (0, asked));
    }
    let (stage, ada) = stopped(away_for(3, BUSY)).await;
    stage.do_(Command::PauseAll).await;
    stage.clock.advance(60 * MINUTE);
    looked().await;
    stage.post(ada, "and now?").await;
    looked().await;
    assert_eq!((restarts(&stage).await, stage.model.requests().len()), (0, 3));
}

#[tokio::test]
async fn who_was_away_when_everything_was_closed_goes_on_at_the_next_start() {
    let (stage, ada) = stopped(away_for(3, BUSY)).await;
    stage.clock.advance(MINUTE);
    let stage = stage.reopen().await;
    answers(&stage, ada).await;
}
