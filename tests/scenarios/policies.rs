//! Who speaks, who does not, and why.

use domain::{Caps, Command, GroupPatch, TurnPolicy};
use llm::scripted::{Beat, Scripted};
use proptest::prelude::*;
use tests::{Stage, says, says_nothing, speaker, stage, thought};

/// Everybody says something new, so that nothing is a repetition.
fn has_thoughts() -> Scripted {
    Scripted::from_fn(|_, n| vec![Beat::Text(thought(n).into())])
}

async fn speakers(stage: &Stage, group: domain::GroupId) -> Vec<String> {
    let lines = stage.transcript(group).await;
    lines.into_iter().map(|line| line.split(':').next().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn the_default_responder_answers_unless_somebody_is_mentioned() {
    let stage = stage().model(has_thoughts()).open().await;
    let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::DefaultResponder).await;
    stage.say(group, "good morning").await;
    stage.say(group, "@Otto and @bo, you too").await;
    let mut who = speakers(&stage, group).await;
    who[3..].sort();
    assert_eq!(who, ["you", "Ada", "you", "Bo", "Otto"]);
    assert_eq!(
        stage.decisions(group).await[..3],
        [
            "Ada speak default_responder",
            "Bo pass not_the_default_responder",
            "Otto pass not_the_default_responder"
        ]
    );
}

#[tokio::test]
async fn with_mention_nobody_else_speaks() {
    let stage = stage().model(has_thoughts()).open().await;
    let group = stage.group(&["Ada", "Bo", "林夏"], TurnPolicy::Mention).await;
    stage.say(group, "good morning").await;
    assert_eq!(speakers(&stage, group).await, ["you"]);
    stage.say(group, "@林夏你好").await;
    assert_eq!(speakers(&stage, group).await, ["you", "you", "林夏"]);
    assert_eq!(
        stage.decisions(group).await[..3],
        ["Ada pass not_mentioned", "Bo pass not_mentioned", "林夏 pass not_mentioned"]
    );
}

#[tokio::test]
async fn rounds_go_in_order_three_times() {
    let stage = stage().model(has_thoughts()).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Rounds).await;
    stage.say(group, "discuss").await;
    assert_eq!(speakers(&stage, group).await, ["you", "Ada", "Bo", "Ada", "Bo", "Ada", "Bo"]);
    assert_eq!(
        stage.decisions(group).await.last().map(String::as_str),
        Some("Ada pass chain_depth")
    );
}

#[tokio::test]
async fn a_round_in_which_all_pass_is_the_last() {
    let stage = stage().model(says_nothing()).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Rounds).await;
    stage.say(group, "anything?").await;
    assert_eq!(speakers(&stage, group).await, ["you"]);
    let decisions = stage.decisions(group).await;
    assert_eq!(
        decisions.iter().filter(|line| line.ends_with("chose_silence")).count(),
        2,
        "{decisions:?}"
    );
}

#[tokio::test]
async fn in_broadcast_everybody_answers_once() {
    let stage = stage().model(has_thoughts()).open().await;
    let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::Broadcast).await;
    stage.say(group, "roll call").await;
    let mut who = speakers(&stage, group).await;
    who.sort();
    assert_eq!(who, ["Ada", "Bo", "Otto", "you"]);
}

#[tokio::test]
async fn in_manual_only_who_is_asked_speaks() {
    let stage = stage().model(has_thoughts()).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Manual).await;
    stage.say(group, "@Ada @Bo").await;
    assert_eq!(speakers(&stage, group).await, ["you"]);
    let agent = stage.agent("Bo").await.id;
    stage.do_(Command::SpeakNow { group, agent }).await;
    stage.quiet().await;
    assert_eq!(speakers(&stage, group).await, ["you", "Bo"]);
}

#[tokio::test]
async fn a_muted_agent_stays_silent_and_the_reason_is_on_record() {
    let stage = stage().open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await;
    let agent = stage.agent("Bo").await.id;
    let patch = domain::MemberPatch { muted: Some(true), ..Default::default() };
    stage.do_(Command::EditMember { group, agent, patch }).await;
    stage.say(group, "@Bo?").await;
    assert_eq!(speakers(&stage, group).await, ["you", "Ada"]);
    assert!(stage.decisions(group).await.contains(&"Bo pass muted".to_owned()));
}

#[tokio::test]
async fn agents_that_name_each_other_stop_at_the_chain_depth() {
    let script = Scripted::from_fn(|request, n| {
        let other = if speaker(request) == "Ada" { "Bo" } else { "Ada" };
        vec![Beat::Text(format!("@{other} {}", thought(n)))]
    });
    let stage = stage().model(script).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::DefaultResponder).await;
    stage.say(group, "go").await;
    assert_eq!(speakers(&stage, group).await, ["you", "Ada", "Bo", "Ada"]);
    assert!(stage.decisions(group).await.contains(&"Bo pass chain_depth".to_owned()));
}

#[tokio::test]
async fn acknowledgements_among_agents_are_dropped_and_a_persons_question_is_answered() {
    let script = Scripted::from_fn(|request, n| match (speaker(request).as_str(), n) {
        ("Ada", 1) => vec![Beat::Text("@Bo the tiles come on the third.".into())],
        _ => vec![Beat::Text("OK".into())],
    });
    let stage = stage().model(script).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::DefaultResponder).await;
    stage.say(group, "when do the tiles come?").await;
    assert_eq!(speakers(&stage, group).await, ["you", "Ada"]);
    assert!(stage.decisions(group).await.contains(&"Bo pass bare_acknowledgement".to_owned()));
    stage.say(group, "say OK").await;
    assert_eq!(stage.transcript(group).await.last().map(String::as_str), Some("Ada: OK"));
}

#[tokio::test]
async fn a_repetition_among_agents_is_dropped() {
    let stage = stage().model(says("The kitchen needs three sockets, not two.")).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Rounds).await;
    stage.say(group, "how many?").await;
    assert_eq!(speakers(&stage, group).await, ["you", "Ada"]);
    assert!(stage.decisions(group).await.contains(&"Bo pass near_duplicate".to_owned()));
}

#[tokio::test]
async fn a_person_who_speaks_again_ends_the_rounds_before() {
    let gate = llm::scripted::Gate::new();
    let wait = gate.clone();
    let script = Scripted::from_fn(move |_, n| {
        let words = Beat::Text(thought(n).into());
        if n == 1 { vec![Beat::Gate(wait.clone()), words] } else { vec![words] }
    });
    let stage = stage().model(script).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Rounds).await;
    stage.post(group, "first").await;
    stage.model.asked(1).await;
    stage.post(group, "second").await;
    gate.open();
    stage.quiet().await;
    // One answer to the first, which was already being written, then six.
    assert_eq!(speakers(&stage, group).await.len(), 2 + 1 + 6);
}

/// Says whatever keeps a conversation going: names everybody, speaks as
/// others, repeats itself, acknowledges, passes now and then.
fn adversary(choices: Vec<u8>) -> Scripted {
    Scripted::from_fn(move |request, n| {
        let text = match choices[n % choices.len()] % 6 {
            0 => format!("@Ada @Bo @Otto @Ines @林夏 @老陈 answer me, number {n}"),
            1 => "@Ada @Bo @Otto the same thing again and again".to_owned(),
            2 => format!("Bo: I am Bo {n}\nAda: and I am Ada"),
            3 => "OK".to_owned(),
            4 => "[pass]".to_owned(),
            _ => format!("@{} and you? {n}", if speaker(request) == "Ada" { "Bo" } else { "Ada" }),
        };
        vec![Beat::Text(text)]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_models_say_every_group_falls_quiet_within_its_caps(
        choices in proptest::collection::vec(any::<u8>(), 1..12),
        policy in 0..TurnPolicy::ALL.len(),
        chain_depth in 1_u32..8,
        posts in 1_usize..3,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let policy = TurnPolicy::ALL[policy];
            let stage = stage().model(adversary(choices)).open().await;
            let members = ["Ada", "Bo", "Otto", "Ines"];
            let group = stage.group(&members, policy).await;
            let caps = Caps { chain_depth, ..Caps::default() };
            stage.do_(Command::EditGroup { group, patch: GroupPatch { caps: Some(caps), ..GroupPatch::default() } }).await;
            for n in 0..posts {
                let post = stage.say(group, &format!("question {n}")).await;
                let answers: Vec<_> =
                    stage.messages(group).await.into_iter().filter(|m| m.root == post.id && m.run.is_some()).collect();
                let most = if policy == TurnPolicy::Rounds { 30 } else { 10 };
                assert!(answers.len() <= most, "{policy:?}: {} answers", answers.len());
                assert!(answers.iter().all(|answer| answer.chain_depth <= chain_depth));
                assert!(answers.iter().all(|answer| !answer.text().unwrap_or_default().contains("I am Ada")));
            }
        });
    }
}

#[tokio::test]
async fn two_agents_cannot_go_on_for_ever_even_with_deep_chains() {
    let script = Scripted::from_fn(|request, n| {
        let other = if speaker(request) == "Ada" { "Bo" } else { "Ada" };
        vec![Beat::Text(format!("@{other} {}", thought(n)))]
    });
    let stage = stage().model(script).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::DefaultResponder).await;
    let caps = Caps { chain_depth: 50, messages_per_post: 100, ..Caps::default() };
    stage
        .do_(Command::EditGroup {
            group,
            patch: GroupPatch { caps: Some(caps), ..GroupPatch::default() },
        })
        .await;
    stage.say(group, "go").await;
    assert_eq!(speakers(&stage, group).await, ["you", "Ada", "Bo", "Ada", "Bo"]);
    assert!(stage.decisions(group).await.contains(&"Ada pass pair_hops".to_owned()));
}

#[tokio::test]
async fn who_would_be_woken_is_known_before() {
    let stage = stage().model(says("hm")).open().await;
    let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::Broadcast).await;
    let domain::Reply::WouldWake(would) =
        stage.query(domain::Query::WouldWake { group, text: "hello".into() }).await.unwrap()
    else {
        panic!("no preview")
    };
    assert_eq!(would.agents, stage.ids(&["Ada", "Bo", "Otto"]).await);
    assert_eq!(would.messages_at_most, 10);
}
