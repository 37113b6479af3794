//! Who speaks, who does not, and why.

mod elsewhere;
mod in_order;
mod quiet;
mod supervisor;
mod weighted;

use domain::{
    AgentId, Caps, Command, Decision, GroupId, GroupPatch, MemberPatch, MessageId, Query, Reply,
    TurnPolicy,
};
use llm::scripted::{Beat, Gate, Scripted};
use tests::{Stage, says, says_nothing, speaker, stage, thought};

/// Everybody says something new, so that nothing is a repetition.
fn has_thoughts() -> Scripted {
    Scripted::from_fn(|_, n| vec![Beat::Text(thought(n).into())])
}

/// The first thing to be said waits at the gate.
fn has_thoughts_but_waits_at_first() -> (Scripted, Gate) {
    let gate = Gate::new();
    let wait = gate.clone();
    let script = Scripted::from_fn(move |_, n| {
        let words = Beat::Text(thought(n).into());
        if n == 1 { vec![Beat::Gate(wait.clone()), words] } else { vec![words] }
    });
    (script, gate)
}

async fn speakers(stage: &Stage, group: GroupId) -> Vec<String> {
    let lines = stage.transcript(group).await;
    lines.into_iter().map(|line| line.split(':').next().unwrap_or_default().to_owned()).collect()
}

/// As they stand on record, oldest first.
async fn decided(stage: &Stage, group: GroupId, message: Option<MessageId>) -> Vec<Decision> {
    match stage.query(Query::Decisions { group, message, limit: 500 }).await {
        Ok(Reply::Decisions(decisions)) => decisions,
        other => panic!("no decisions: {other:?}"),
    }
}

async fn change(stage: &Stage, group: GroupId, patch: GroupPatch) {
    stage.do_(Command::EditGroup { group, patch }).await;
}

async fn set_caps(stage: &Stage, group: GroupId, caps: Caps) {
    change(stage, group, GroupPatch { caps: Some(caps), ..GroupPatch::default() }).await;
}

async fn change_member(stage: &Stage, group: GroupId, name: &str, patch: MemberPatch) -> AgentId {
    let agent = stage.agent(name).await.id;
    stage.do_(Command::EditMember { group, agent, patch }).await;
    agent
}

async fn mute(stage: &Stage, group: GroupId, name: &str) -> AgentId {
    change_member(stage, group, name, MemberPatch { muted: Some(true), ..Default::default() }).await
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
async fn the_turn_of_one_who_is_terminated_goes_to_the_next_who_stays() {
    let script = Scripted::from_fn(|request, n| match speaker(request).as_str() {
        "Bo" => vec![Beat::Hang],
        _ if n <= 3 => vec![Beat::Text(thought(n).into())],
        _ => vec![Beat::Text("[pass]".into())],
    });
    let stage = stage().model(script).open().await;
    let agent = stage.agent("Bo").await.id;
    let (soul, name) = ("bo".into(), Some("Kid".into()));
    stage.do_(Command::NewAgent { soul, name, model: None, parent: Some(agent) }).await;
    let group = stage.group(&["Ada", "Bo", "Kid", "Ines"], TurnPolicy::Rounds).await;
    stage.post(stage.direct("Bo").await, "take your time").await;
    stage.model.asked(1).await;
    stage.post(group, "what do you think?").await;
    // Bo is busy elsewhere, so its turn here waits.
    let is_given =
        async |stage: &Stage| stage.decisions(group).await.contains(&"Bo speak turn".to_owned());
    stage.until(is_given).await;
    stage.do_(Command::TerminateAgent { agent }).await;
    stage.quiet().await;
    assert_eq!(speakers(&stage, group).await, ["you", "Ada", "<left>", "<left>", "Ines"]);
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
    mute(&stage, group, "Bo").await;
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
    let (script, gate) = has_thoughts_but_waits_at_first();
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

#[tokio::test]
async fn two_agents_cannot_go_on_for_ever_even_with_deep_chains() {
    let script = Scripted::from_fn(|request, n| {
        let other = if speaker(request) == "Ada" { "Bo" } else { "Ada" };
        vec![Beat::Text(format!("@{other} {}", thought(n)))]
    });
    let stage = stage().model(script).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::DefaultResponder).await;
    let caps = Caps { chain_depth: 50, messages_per_post: 100, ..Caps::default() };
    set_caps(&stage, group, caps).await;
    stage.say(group, "go").await;
    assert_eq!(speakers(&stage, group).await, ["you", "Ada", "Bo", "Ada", "Bo"]);
    assert!(stage.decisions(group).await.contains(&"Ada pass pair_hops".to_owned()));
}

#[tokio::test]
async fn who_would_be_woken_is_known_before() {
    let stage = stage().model(says("hm")).open().await;
    let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::Broadcast).await;
    let Reply::WouldWake(would) = stage
        .query(Query::WouldWake { group, text: "hello".into(), reply_to: None })
        .await
        .unwrap()
    else {
        panic!("no preview")
    };
    assert_eq!(would.agents, stage.ids(&["Ada", "Bo", "Otto"]).await);
    assert_eq!(would.messages_at_most, 10);
}

#[tokio::test]
async fn muting_order_and_forced_turns_hold_in_every_policy() {
    for policy in TurnPolicy::ALL {
        // Names the first of those whom it may name.
        let script = Scripted::from_fn(|request, n| {
            let offered = supervisor::offered(request);
            let next = offered.first().map(|name| supervisor::names(name));
            vec![Beat::Text(next.unwrap_or(thought(n).into()))]
        });
        let stage = stage().model(script).open().await;
        let group = stage.group(&["Ada", "Otto", "Bo", "Ines"], policy).await;
        let muted = mute(&stage, group, "Otto").await;
        let patch = MemberPatch { position: Some(1), ..MemberPatch::default() };
        change_member(&stage, group, "Bo", patch).await;
        if policy == TurnPolicy::Weighted {
            for name in ["Ada", "Ines"] {
                let silent = MemberPatch { talkativeness: Some(0), ..MemberPatch::default() };
                change_member(&stage, group, name, silent).await;
            }
        }
        stage.say(group, "@Ada, @Bo, @Ines and @Otto, your turn").await;
        stage.say(group, "who is first?").await;
        let who = speakers(&stage, group).await;
        assert!(!who.contains(&"Otto".to_owned()), "{policy:?}: {who:?}");
        let at = who.iter().rposition(|who| who == "you").unwrap();
        let first = who.get(at + 1).map(String::as_str);
        match policy {
            TurnPolicy::Rounds
            | TurnPolicy::RoundRobin
            | TurnPolicy::Weighted
            | TurnPolicy::Supervisor => assert_eq!(first, Some("Bo"), "{policy:?}: {who:?}"),
            TurnPolicy::DefaultResponder => assert_eq!(first, Some("Ada"), "{who:?}"),
            TurnPolicy::Mention | TurnPolicy::Manual => assert_eq!(first, None, "{policy:?}"),
            TurnPolicy::Broadcast => assert_eq!(who.len() - at - 1, 3, "{who:?}"),
        }
        stage.do_(Command::SpeakNow { group, agent: muted }).await;
        stage.quiet().await;
        let who = speakers(&stage, group).await;
        assert_eq!(who.last().map(String::as_str), Some("Otto"), "{policy:?}: {who:?}");
        let asked = "Otto speak asked_by_user".to_owned();
        assert!(stage.decisions(group).await.contains(&asked), "{policy:?}");
    }
}

#[tokio::test]
async fn an_agent_asked_for_in_the_middle_of_the_rounds_has_a_turn_more() {
    let (script, gate) = has_thoughts_but_waits_at_first();
    let stage = stage().model(script).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Rounds).await;
    stage.post(group, "discuss").await;
    stage.model.asked(1).await;
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::SpeakNow { group, agent }).await;
    gate.open();
    stage.quiet().await;
    let mut who = speakers(&stage, group).await;
    who.sort();
    assert_eq!(who, ["Ada", "Ada", "Ada", "Ada", "Bo", "Bo", "Bo", "you"]);
}

#[tokio::test]
async fn what_a_tool_brings_lets_two_agents_go_on() {
    let script = Scripted::from_fn(|request, n| {
        let used = request.turns.last().is_some_and(|turn| turn.role == llm::Role::Tool);
        if n == 3 && !used {
            return vec![quiet::calls("calculator", "{\"expression\": \"6 * 7\"}")];
        }
        let other = if speaker(request) == "Ada" { "Bo" } else { "Ada" };
        vec![Beat::Text(format!("@{other} {}", thought(n)))]
    });
    let stage = stage().model(script).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::DefaultResponder).await;
    set_caps(&stage, group, Caps { chain_depth: 50, messages_per_post: 100, ..Caps::default() })
        .await;
    stage.say(group, "go").await;
    // Four go back and forth without a tool; the third, which used one, counts
    // as the first.
    assert_eq!(speakers(&stage, group).await.len(), 1 + 2 + 4);
    assert!(stage.decisions(group).await.contains(&"Ada pass pair_hops".to_owned()));
}
