//! A question to which no answer comes stops nobody: the next one may well have one.

use super::{fails, said, says};
use domain::{AgentState, RunState, TurnPolicy};
use llm::Trouble;
use llm::scripted::{Beat, Scripted};
use tests::{Stage, stage};

/// Nothing but this comes to a question that ends in `odd`.
fn stumbles(over: fn() -> Vec<Beat>) -> Scripted {
    Scripted::from_fn(move |request, _| {
        let question = request.turns.iter().rfind(|turn| turn.role == llm::Role::User);
        match question.is_some_and(|turn| turn.content.trim_end().ends_with("odd")) {
            true => over(),
            false => says("here"),
        }
    })
}

async fn state(stage: &Stage) -> AgentState {
    stage.agent("Ada").await.state
}

#[tokio::test(start_paused = true)]
async fn the_next_question_is_answered() {
    let ways: [fn() -> Vec<Beat>; 3] =
        [|| fails(Trouble::Endless), || fails(Trouble::Refused), || vec![Beat::Text(" ".into())]];
    for over in ways {
        let stage = stage().model(stumbles(over)).open().await;
        let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
        stage.say(group, "@Ada this is odd").await;
        assert_eq!(said(&stage, group).await, ["<run_failed>"]);
        assert_eq!(state(&stage).await, AgentState::Idle);
        stage.say(group, "@Ada something else").await;
        assert_eq!(said(&stage, group).await, ["<run_failed>", "Ada: here"]);
        assert_eq!(stage.runs().await.len(), 2, "what had no answer is not asked again");
    }
}

#[tokio::test(start_paused = true)]
async fn several_turns_of_one_message_count_as_one() {
    let model = Scripted::from_fn(|request, n| match tests::speaker(request).as_str() {
        "Ada" => fails(Trouble::Endless),
        _ => says(&format!("thought {n}")),
    });
    let stage = stage().model(model).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Rounds).await;
    stage.say(group, "What do you think?").await;
    let runs = stage.runs().await;
    assert_eq!(runs.iter().filter(|run| run.state == RunState::Failed).count(), 3);
    assert_eq!(state(&stage).await, AgentState::Idle);
}

#[tokio::test(start_paused = true)]
async fn three_in_a_row_are_for_something_else_and_a_person_has_to_look() {
    let stage = stage().model(stumbles(|| fails(Trouble::Refused))).open().await;
    let ada = stage.direct("Ada").await;
    for text in ["odd", "very odd", "something else", "odd", "very odd"] {
        stage.say(ada, text).await;
        assert_eq!(state(&stage).await, AgentState::Idle, "{text}");
    }
    stage.post(ada, "for the third time, odd").await;
    stage.until(async |stage: &Stage| state(stage).await == AgentState::Error).await;
}
