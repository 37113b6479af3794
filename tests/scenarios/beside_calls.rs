//! What an agent says in an answer in which it also calls a tool.

use domain::{
    Budget, BudgetScope, Command, Event, FromOwner, GroupId, Outcome, RunState, Target, TurnPolicy,
    Update,
};
use futures::{FutureExt, StreamExt};
use llm::ToolCallDelta;
use llm::scripted::{Beat, Scripted};
use tests::{Stage, stage};

const RECIPE: &str = "Take 200 g flour.";

fn calculator() -> Beat {
    let (id, name) = ("c1".to_owned(), Some("calculator".to_owned()));
    Beat::ToolCall(ToolCallDelta { id, name, arguments: r#"{"expression":"200 / 3"}"#.to_owned() })
}

/// Says the recipe beside a call, and this when it has the result.
fn then(last: Vec<Beat>) -> Scripted {
    Scripted::from_fn(move |request, _| match request.turns.last() {
        Some(turn) if turn.role == llm::Role::Tool => last.clone(),
        _ => vec![Beat::Text(RECIPE.into()), calculator()],
    })
}

#[tokio::test]
async fn it_stands_in_the_message_and_is_read_once() {
    let model = then(vec![Beat::Text("Enjoy!".into())]);
    let stage = stage().model(model.clone()).open().await;
    let ada = stage.direct("Ada").await;
    let mut events = stage.events();
    stage.say(ada, "A recipe?").await;
    let whole = format!("{RECIPE}\n\nEnjoy!");
    assert_eq!(stage.transcript(ada).await, ["you: A recipe?", &format!("Ada: {whole}")]);

    let mut shown = String::new();
    while let Some(Some(said)) = events.next().now_or_never() {
        let FromOwner::Event(event) = said else { continue };
        if let Update::Live { live } = event.update {
            assert_eq!(live.offset as usize, shown.len(), "nothing that was shown goes");
            shown.push_str(&live.text);
        }
    }
    assert_eq!(shown, whole);

    stage.say(ada, "Thanks!").await;
    let requests = model.requests();
    let read: Vec<&str> = requests[2].turns.iter().map(|turn| turn.content.as_str()).collect();
    assert_eq!(read.iter().filter(|text| text.contains(RECIPE)).count(), 1, "{read:?}");
    assert!(read.contains(&"Enjoy!"), "{read:?}");
}

#[tokio::test]
async fn it_is_the_answer_where_nothing_more_comes() {
    for last in ["", "[pass]"] {
        let stage = stage().model(then(vec![Beat::Text(last.into())])).open().await;
        let ada = stage.direct("Ada").await;
        stage.say(ada, "A recipe?").await;
        let expected = ["you: A recipe?", &format!("Ada: {RECIPE}")];
        assert_eq!(stage.transcript(ada).await, expected, "{last:?}");
        stage.say(ada, "Thanks!").await;
        let asked = stage.model.requests().remove(2);
        let says_it = asked.turns.iter().filter(|turn| turn.content.contains(RECIPE));
        assert_eq!(says_it.count(), 1, "{last:?}: {:?}", asked.turns);
        assert_eq!(llm::history::check(&asked.turns), Ok(()));
    }
}

/// Whom a person asks by name has answered, whatever it does with its last word.
#[tokio::test]
async fn who_is_asked_by_a_person_among_others_has_answered_with_it() {
    for last in ["", "[pass]", "Bo: no, never."] {
        let stage = stage().model(then(vec![Beat::Text(last.into())])).open().await;
        let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
        stage.say(group, "@Ada A recipe?").await;
        let expected = ["you: @Ada A recipe?", &format!("Ada: {RECIPE}")];
        assert_eq!(stage.transcript(group).await, expected, "{last:?}");
    }
}

/// Who has a turn because the policy gives everybody one may have looked first whether it
/// has anything to say.
#[tokio::test]
async fn who_chooses_silence_in_a_round_says_nothing() {
    let stage = stage().model(then(vec![Beat::Text("[pass]".into())])).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Rounds).await;
    stage.say(group, "A recipe?").await;
    for run in stage.runs().await {
        assert!(matches!(run.outcome, Some(Outcome::Silent { .. })), "{run:?}");
    }
}

/// Ada has said the recipe and used the tool, and her model says nothing more.
async fn in_the_middle() -> (Stage, GroupId) {
    let model = then(vec![Beat::Hang]);
    let stage = stage().model(model.clone()).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "A recipe?").await;
    model.asked(2).await;
    (stage, ada)
}

#[tokio::test]
async fn a_stop_keeps_it() {
    let (stage, ada) = in_the_middle().await;
    stage.do_(Command::Stop { target: Target::Group(ada) }).await;
    stage.quiet().await;
    let transcript = stage.transcript(ada).await;
    assert!(transcript[1].starts_with(&format!("Ada: {RECIPE}")), "{transcript:?}");
}

#[tokio::test]
async fn the_end_of_its_agent_keeps_it() {
    let (stage, ada) = in_the_middle().await;
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::TerminateAgent { agent }).await;
    has_ended(&stage).await;
    let transcript = stage.transcript(ada).await;
    assert!(transcript[1].starts_with(&format!("Ada: {RECIPE}")), "{transcript:?}");
}

/// Also where nobody lived to write it down as an answer.
#[tokio::test]
async fn who_drops_an_interrupted_run_keeps_it() {
    let (mut stage, ada) = in_the_middle().await;
    for times in 1..=4 {
        stage = stage.crash(then(vec![Beat::Hang])).await;
        if times < 4 {
            stage.model.asked(1).await;
        }
    }
    stage.quiet().await;
    let run = stage.runs().await.pop().expect("there were runs");
    assert_eq!(run.state, RunState::Interrupted);
    stage.do_(Command::DropRun { run: run.id }).await;
    let transcript = stage.transcript(ada).await;
    let expected = ["you: A recipe?", "<run_failed>", &format!("Ada: {RECIPE}")];
    assert_eq!(transcript, expected);
}

async fn has_ended(stage: &Stage) {
    let is_over = |run: &domain::Run| run.ended_ms.is_some();
    stage.until(async |stage: &Stage| stage.runs().await.first().is_some_and(is_over)).await;
}

/// However a turn ends that waits, and that nobody takes up any more.
#[tokio::test]
async fn the_end_of_a_turn_that_waits_keeps_it() {
    let fails = || {
        let fault = llm::ModelFault::new(llm::Trouble::Key, "the key is wrong", "save another one");
        then(vec![Beat::Fail(fault)])
    };
    for how in ["terminated after an error", "terminated while paused", "stopped for its budget"] {
        let model = match how {
            "terminated while paused" => then(vec![Beat::Hang]),
            "stopped for its budget" => {
                Scripted::from_fn(|_, _| vec![Beat::Text(RECIPE.into()), calculator()])
            }
            _ => fails(),
        };
        let stage = stage().model(model.clone()).open().await;
        let group = stage.group(&["Ada"], TurnPolicy::DefaultResponder).await;
        let agent = stage.agent("Ada").await.id;
        if how.contains("budget") {
            let scope = BudgetScope::Group(group);
            let budget = Budget { scope, tokens: Some(8_000), microusd: None };
            stage.do_(Command::SetBudget { budget }).await;
        }
        stage.post(group, "A recipe?").await;
        match how {
            "terminated while paused" => {
                model.asked(2).await;
                stage.do_(Command::PauseAgent { agent }).await;
                has_ended(&stage).await;
                stage.do_(Command::TerminateAgent { agent }).await;
            }
            "terminated after an error" => {
                stage.until(async |stage| stage.agent("Ada").await.problem.is_some()).await;
                stage.do_(Command::TerminateAgent { agent }).await;
            }
            _ => {
                has_ended(&stage).await;
                stage.do_(Command::Stop { target: Target::Group(group) }).await;
            }
        }
        let transcript = stage.transcript(group).await;
        let kept = transcript.iter().filter(|line| line.contains(RECIPE)).count();
        assert_eq!(kept, 1, "{how}: {transcript:?}");
    }
}

/// What such a budget ends, nobody takes up again.
#[tokio::test]
async fn the_budget_of_a_run_or_a_message_keeps_it() {
    for scope in [BudgetScope::Run, BudgetScope::Message] {
        let model = Scripted::from_fn(|_, _| vec![Beat::Text(RECIPE.into()), calculator()]);
        let stage = stage().model(model).open().await;
        let budget = Budget { scope, tokens: Some(8_000), microusd: None };
        stage.do_(Command::SetBudget { budget }).await;
        let ada = stage.direct("Ada").await;
        stage.say(ada, "A recipe?").await;
        let transcript = stage.transcript(ada).await;
        assert_eq!(transcript[1], format!("Ada: {RECIPE}"), "{scope:?}: {transcript:?}");
        assert_eq!(transcript[2..], ["<run_failed>"], "{scope:?}");
    }
}

#[tokio::test]
async fn it_is_kept_by_a_turn_that_is_taken_up_after_a_restart() {
    let (stage, ada) = in_the_middle().await;
    let stage = stage.reopen_with(Some(then(vec![Beat::Hang]))).await;
    stage.model.asked(1).await;
    // It is shown before the model says anything more.
    let told = Box::pin(stage.workspace.events(None)).next().await;
    let Some(FromOwner::Event(Event { update: Update::Live { live }, .. })) = told else {
        panic!("nothing is shown: {told:?}")
    };
    assert_eq!((live.group, live.offset, live.text), (ada, 0, format!("{RECIPE}\n\n")));
    let stage = stage.reopen_with(Some(then(vec![Beat::Text("Enjoy!".into())]))).await;
    stage.quiet().await;
    let expected = ["you: A recipe?", &format!("Ada: {RECIPE}\n\nEnjoy!")];
    assert_eq!(stage.transcript(ada).await, expected);
}
