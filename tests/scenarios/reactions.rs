//! Reactions to messages of conversations.

use domain::{
    Command, Event, Fault, FromOwner, GroupId, MessageId, Participant, Query, Reaction, Reactions,
    Record, Reply, TurnPolicy, Update,
};
use futures::StreamExt;
use llm::scripted::{Beat, Scripted};
use llm::{ModelRequest, Turn};
use tests::{Stage, says, speaker, stage};

async fn react(stage: &Stage, item: MessageId, sign: &str, on: bool) -> Result<Reply, Fault> {
    stage.command(Command::React { item, sign: sign.into(), on }).await
}

async fn given(stage: &Stage, group: GroupId) -> Vec<(MessageId, Participant, String)> {
    match stage.query(Query::Reactions { group }).await {
        Ok(Reply::Reactions(all)) => {
            all.into_iter().map(|one| (one.item, one.who, one.sign)).collect()
        }
        other => panic!("no reactions: {other:?}"),
    }
}

#[tokio::test]
async fn a_reaction_is_seen_at_once_wakes_nobody_and_is_taken_back() {
    let stage = stage().model(says("Yes.")).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Tea?").await;
    let answer = stage.messages(ada).await.remove(1).id;
    let asked = stage.model.requests().len();
    let mut events = stage.events();
    react(&stage, answer, "👍", true).await.expect("a reaction");
    let given_by = |on: bool| {
        let one = Reaction { item: answer, who: Participant::User, sign: "👍".into() };
        Reactions { group: ada, item: answer, all: if on { vec![one] } else { Vec::new() } }
    };
    let told = async |events: &mut (dyn futures::Stream<Item = FromOwner> + Send + Unpin)| loop {
        let update = match events.next().await.expect("news") {
            FromOwner::Event(Event { update, .. }) => update,
            FromOwner::Answer(_) | FromOwner::Resync { .. } => continue,
        };
        if let Update::Saved { record: Record::Reactions(reactions) } = update {
            return reactions;
        }
    };
    assert_eq!(told(&mut events).await, given_by(true));
    react(&stage, answer, "👍", true).await.expect("twice is once");
    assert_eq!(told(&mut events).await, given_by(true));
    stage.quiet().await;
    assert_eq!(stage.model.requests().len(), asked);

    let stage = stage.reopen().await;
    assert_eq!(given(&stage, ada).await, [(answer, Participant::User, "👍".to_owned())]);
    react(&stage, answer, "👍", false).await.expect("taken back");
    assert_eq!(given(&stage, ada).await, []);
    let fault = react(&stage, answer, "two words", true).await.expect_err("no sign");
    assert_eq!(fault.message, "\"two words\" is no reaction");
}

#[tokio::test]
async fn an_agent_that_only_agrees_is_heard_by_a_sign() {
    let script = Scripted::from_fn(|request, n| match (speaker(request).as_str(), n) {
        ("Ada", 1) => vec![Beat::Text("@Bo @Ines the tiles come on the third.".into())],
        ("Bo", _) => vec![Beat::Text("OK".into())],
        _ => vec![Beat::Text("🎉".into())],
    });
    let stage = stage().model(script).open().await;
    let group = stage.group(&["Ada", "Bo", "Ines"], TurnPolicy::DefaultResponder).await;
    stage.say(group, "when do the tiles come?").await;
    let messages = stage.messages(group).await;
    assert_eq!(messages.len(), 2, "a sign is no message: {messages:?}");
    let [bo, ines] = stage.ids(&["Bo", "Ines"]).await[..] else { panic!("two agents") };
    let mut signs = given(&stage, group).await;
    signs.sort_by_key(|(_, _, sign)| sign.clone());
    let tiles = messages[1].id;
    let expected = [
        (tiles, Participant::Agent(ines), "🎉".to_owned()),
        (tiles, Participant::Agent(bo), "👍".to_owned()),
    ];
    assert_eq!(signs, expected);

    stage.do_(Command::ForgetMessage { message: tiles }).await;
    assert_eq!(given(&stage, group).await, []);
    assert!(react(&stage, tiles, "👍", true).await.is_err(), "its words are gone");
}

/// The turns that end with the question, without what stands behind it.
fn before_the_signs(turn: &Turn) -> &str {
    turn.content.split("\n\n[Reactions").next().unwrap_or_default()
}

#[tokio::test]
async fn an_agent_reads_who_reacted_to_what_behind_everything_else() {
    let stage = stage().model(says("Green tea.")).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::DefaultResponder).await;
    stage.say(group, "Which tea?").await;
    let answer = stage.messages(group).await.remove(1).id;
    stage.say(group, "And the cups?").await;
    react(&stage, answer, "👍", true).await.expect("a reaction");
    stage.say(group, "And the pot?").await;
    let last = |request: &ModelRequest| request.turns.last().expect("a question").clone();
    let requests = stage.model.requests();
    let [_, second, third] = &requests[..] else { panic!("three answers") };
    let told = last(third).content;
    assert!(told.ends_with("\n\n[Reactions, as they are now]\n> Green tea.\n[👍 User]"), "{told}");
    assert!(!last(second).content.contains("Reactions"));
    // What was sent before stands as it was.
    assert_eq!(third.turns[..second.turns.len()], second.turns);

    react(&stage, answer, "👍", false).await.expect("taken back");
    stage.say(group, "And the milk?").await;
    let fourth = stage.model.requests().pop().unwrap();
    assert!(!fourth.turns.iter().any(|turn| turn.content.contains("Reactions")));
    let n = third.turns.len() - 1;
    assert_eq!(fourth.turns[..n], third.turns[..n]);
    assert_eq!(fourth.turns[n].content, before_the_signs(&third.turns[n]));

    react(&stage, answer, "❤️", true).await.expect("a reaction");
    stage.do_(Command::ForgetMessage { message: answer }).await;
    stage.say(group, "And now?").await;
    let fifth = stage.model.requests().pop().unwrap();
    assert!(!fifth.turns.iter().any(|turn| turn.content.contains("Reactions")));
}
