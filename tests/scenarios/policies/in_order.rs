//! `round_robin`: one after the other, one for each message of a person.

use super::*;

async fn next(stage: &Stage, group: GroupId, text: &str) -> String {
    let post = stage.say(group, text).await;
    let answers = stage.messages(group).await.into_iter().filter(|message| message.seq > post.seq);
    let names = stage.overview().await.agents;
    let name = |message: domain::Message| match message.author {
        domain::Author::Agent(id) => names
            .iter()
            .find(|agent| agent.id == id)
            .map_or_else(String::new, |agent| agent.name.clone()),
        domain::Author::User
        | domain::Author::Outside(_)
        | domain::Author::Source(_)
        | domain::Author::System => {
            panic!("nobody else speaks")
        }
    };
    answers.map(name).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn the_next_in_order_answers_each_message_and_a_restart_changes_nothing() {
    let stage = stage().model(has_thoughts()).open().await;
    let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::RoundRobin).await;
    assert_eq!(next(&stage, group, "one").await, "Ada");
    assert_eq!(
        stage.decisions(group).await[..3],
        ["Ada speak next_in_order", "Bo pass not_its_turn", "Otto pass not_its_turn"]
    );
    assert_eq!(next(&stage, group, "two").await, "Bo");
    let stage = stage.reopen().await;
    assert_eq!(next(&stage, group, "three").await, "Otto");
    assert_eq!(next(&stage, group, "four").await, "Ada");
}

#[tokio::test]
async fn a_mention_goes_first_and_the_order_goes_on_where_it_was() {
    let stage = stage().model(has_thoughts()).open().await;
    let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::RoundRobin).await;
    assert_eq!(next(&stage, group, "one").await, "Ada");
    assert_eq!(next(&stage, group, "@Otto, and you?").await, "Otto");
    assert_eq!(next(&stage, group, "two").await, "Bo");
    // However much was decided in between.
    for n in 0..30 {
        stage.say(group, &format!("@Ada number {n}")).await;
    }
    assert_eq!(next(&stage, group, "three").await, "Otto");
}

#[tokio::test]
async fn who_is_paused_or_muted_or_has_an_error_is_passed_over() {
    let script = Scripted::from_fn(|request, n| match speaker(request).as_str() {
        "Ines" => vec![Beat::Fail(llm::ModelFault::new(llm::Trouble::Key, "no key", "add one"))],
        _ => vec![Beat::Text(thought(n).into())],
    });
    let stage = stage().model(script).open().await;
    let group = stage.group(&["Ada", "Bo", "Otto", "Ines", "林夏"], TurnPolicy::RoundRobin).await;
    let agent = stage.agent("Bo").await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    mute(&stage, group, "Otto").await;
    stage.say(group, "@Ines").await;
    assert_eq!(stage.agent("Ines").await.state, domain::AgentState::Error);
    assert_eq!(next(&stage, group, "one").await, "Ada");
    assert_eq!(next(&stage, group, "two").await, "林夏");
    let two = stage.decisions(group).await;
    let last = two.len() - 4;
    assert_eq!(
        two[last - 5..last],
        [
            "Ada pass not_its_turn",
            "Bo pass paused",
            "Otto pass muted",
            "Ines pass in_error",
            "林夏 speak next_in_order"
        ]
    );
    stage.do_(Command::ResumeAgent { agent }).await;
    assert_eq!(next(&stage, group, "three").await, "Ada");
    assert_eq!(next(&stage, group, "four").await, "Bo");
}

#[tokio::test]
async fn the_order_goes_on_behind_somebody_who_left() {
    let stage = stage().model(has_thoughts()).open().await;
    let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::RoundRobin).await;
    next(&stage, group, "one").await;
    assert_eq!(next(&stage, group, "two").await, "Bo");
    let agent = stage.agent("Bo").await.id;
    stage.do_(Command::RemoveMember { group, agent }).await;
    assert_eq!(next(&stage, group, "three").await, "Otto");
}
