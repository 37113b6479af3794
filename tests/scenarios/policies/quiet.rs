//! Whatever the models say, every group falls quiet within its caps.

use super::*;
use domain::{GroupKind, Message};
use llm::{ModelFault, ToolCallDelta, Trouble};
use proptest::prelude::*;
use serde_json::json;

pub(super) fn calls(tool: &str, arguments: &str) -> Beat {
    let (id, name) = (format!("call-{tool}"), Some(tool.to_owned()));
    Beat::ToolCall(ToolCallDelta { id, name, arguments: arguments.to_owned() })
}

/// Does whatever keeps a conversation going: names everybody, speaks as
/// others, repeats itself, acknowledges, passes now and then, uses tools
/// without end, gives tasks and writes to others without end, supervises without end or
/// in nonsense, and fails.
fn adversary(choices: Vec<u8>) -> Scripted {
    Scripted::from_fn(move |request, n| {
        let choice = choices[n % choices.len()];
        let offered = supervisor::offered(request);
        let text = match (choice % 11, offered.is_empty()) {
            (0..=2, false) => supervisor::names(&offered[usize::from(choice) % offered.len()]),
            (3, false) => "{\"next\": \"everybody\"}".to_owned(),
            (0, true) => format!("@Ada @Bo @Otto @Ines @林夏 @老陈 answer me, number {n}"),
            (1, _) => "@Ada @Bo @Otto the same thing again and again".to_owned(),
            (2, _) => format!("Bo: I am Bo {n}\nAda: and I am Ada"),
            (3, _) => "OK".to_owned(),
            (4, _) => "[pass]".to_owned(),
            (5, _) => return vec![calls("calculator", "{\"expression\": \"6 * 7\"}")],
            (6, _) => return vec![calls("no_such_tool", "not even JSON")],
            (DELEGATES, _) => return (0..3).map(|nth| delegates(n, nth)).collect(),
            (TELLS, _) => return (0..3).map(|nth| tells(n, nth)).collect(),
            (7, _) if n % 5 == 0 => {
                return vec![Beat::Fail(ModelFault::new(Trouble::Key, "no key", "add one"))];
            }
            _ => format!("@{} and you? {n}", if speaker(request) == "Ada" { "Bo" } else { "Ada" }),
        };
        vec![Beat::Text(text)]
    })
}

const DELEGATES: u8 = 9;

fn delegates(n: usize, nth: usize) -> Beat {
    let to = ["ada", "Bo", "nobody"][(n + nth) % 3];
    let arguments = json!({ "to": to, "task": format!("go on with {n}") }).to_string();
    let (id, name) = (format!("task-{nth}"), Some("delegate".to_owned()));
    Beat::ToolCall(ToolCallDelta { id, name, arguments })
}

const TELLS: u8 = 10;

fn tells(n: usize, nth: usize) -> Beat {
    let to = ["Ada", "Bo", "Otto", "Ines", "nobody"][(n + nth) % 5];
    let arguments = json!({ "to": to, "text": thought(3 * n + nth) }).to_string();
    let (id, name) = (format!("word-{nth}"), Some("message_agent".to_owned()));
    Beat::ToolCall(ToolCallDelta { id, name, arguments })
}

/// Tasks that one message of a person may lead to.
const TASKS: usize = 20;

/// Everybody may give tasks to Ada and to Bo, who may do the same, and write to the
/// others.
fn may_delegate(data: &std::path::Path) {
    std::fs::create_dir_all(data.join("souls")).expect("the folder can be written");
    for name in ["Ada", "Bo", "Otto", "Ines"] {
        let soul = format!(
            "---\nname: {name}\ndelegates: [ada, bo]\ntools: [calculator, message_agent]\nplan: never\n---\nYou are {name}.\n"
        );
        let file = data.join("souls").join(format!("{}.md", name.to_lowercase()));
        std::fs::write(file, soul).expect("the folder can be written");
    }
}

/// The generations above an agent.
fn generation(agent: &domain::Agent, all: &[domain::Agent]) -> usize {
    let parent = all.iter().find(|other| Some(other.id) == agent.parent);
    parent.map_or(0, |parent| 1 + generation(parent, all))
}

/// What agents have written that goes back to it, in every conversation but about tasks.
async fn said_since(stage: &Stage, post: &Message) -> usize {
    let mut said = 0;
    for view in stage.overview().await.groups {
        if view.group.kind != GroupKind::Task {
            let messages = stage.messages(view.group.id).await;
            let since = messages.iter().filter(|said| said.root == post.id && said.run.is_some());
            said += since.count();
        }
    }
    said
}

fn answers_at_most(policy: TurnPolicy) -> usize {
    if policy == TurnPolicy::Rounds { 30 } else { 10 }
}

async fn falls_quiet(policy: TurnPolicy, choices: Vec<u8>, chain_depth: u32, posts: usize) {
    let stage = stage().model(adversary(choices)).before(may_delegate).open().await;
    let members = ["Ada", "Bo", "Otto", "Ines"];
    let group = stage.group(&members, policy).await;
    set_caps(&stage, group, Caps { chain_depth, ..Caps::default() }).await;
    let mut before = 0;
    for n in 0..posts {
        let post = stage.say(group, &format!("question {n}")).await;
        if policy == TurnPolicy::Manual {
            let agent = stage.agent("Ada").await.id;
            stage.do_(Command::SpeakNow { group, agent }).await;
            stage.quiet().await;
        }
        let answers = stage.messages(group).await;
        let answers: Vec<_> =
            answers.into_iter().filter(|m| m.root == post.id && m.run.is_some()).collect();
        let most = answers_at_most(policy);
        let said = said_since(&stage, &post).await;
        assert!(said <= most, "{policy:?}: {said} messages of agents");
        assert!(answers.iter().all(|answer| answer.chain_depth <= chain_depth));
        assert!(
            answers.iter().all(|answer| !answer.text().unwrap_or_default().contains("I am Ada"))
        );
        // Each message wakes no more than the others; a turn is asked for by
        // one question at the most.
        let runs = stage.runs().await.len();
        let turns = members.len() + most * (members.len() - 1) + 2 * chain_depth as usize + 1;
        let turns = turns + TASKS;
        assert!(runs - before <= turns, "{policy:?}: {} runs", runs - before);
        before = runs;
    }
    let everybody = stage.everybody().await;
    let children: Vec<_> = everybody.iter().filter(|agent| agent.parent.is_some()).collect();
    assert!(children.len() <= TASKS * posts, "{policy:?}: {} tasks", children.len());
    for child in children {
        assert_eq!(child.state, domain::AgentState::Terminated, "{policy:?}: {}", child.name);
        assert!(generation(child, &everybody) <= 3, "{policy:?}: {}", child.name);
    }
    let asked = stage.model.requests().len();
    assert!(asked <= 10 * before, "{policy:?}: {asked} requests in {before} runs");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_models_say_every_group_falls_quiet_within_its_caps(
        choices in proptest::collection::vec(any::<u8>(), 1..12),
        chain_depth in 1_u32..8,
        posts in 1_usize..3,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            for policy in TurnPolicy::ALL {
                falls_quiet(policy, choices.clone(), chain_depth, posts).await;
            }
        });
    }
}

#[tokio::test]
async fn whoever_only_gives_tasks_falls_quiet_in_every_policy() {
    for policy in TurnPolicy::ALL {
        falls_quiet(policy, vec![DELEGATES], 3, 2).await;
    }
}

#[tokio::test]
async fn whoever_only_writes_to_others_falls_quiet_in_every_policy() {
    for policy in TurnPolicy::ALL {
        falls_quiet(policy, vec![TELLS], 3, 2).await;
    }
}

/// Says back to everybody else what it heard, or always something new.
fn echo(members: &'static [&'static str], growing: bool) -> Scripted {
    Scripted::from_fn(move |request, n| {
        let own = speaker(request);
        if let Some(next) = supervisor::offered(request).iter().find(|name| **name != own) {
            return vec![Beat::Text(supervisor::names(next))];
        }
        let others = members.iter().filter(|name| **name != own).map(|name| format!("@{name} "));
        let heard = if growing { thought(n) } else { "I heard you say that the kettle boils." };
        vec![Beat::Text(others.collect::<String>() + heard)]
    })
}

// Two agents that wake each other for ever, seen in
// anneschuth/claude-threads#491, Team-Commonly/commonly#508 and
// sageox/agent-toolkit#73.
#[tokio::test]
async fn two_and_five_agents_that_echo_each_other_fall_quiet() {
    const TWO: &[&str] = &["Ada", "Bo"];
    const FIVE: &[&str] = &["Ada", "Bo", "Otto", "Ines", "林夏"];
    // At most so many calls of a model for two and for five. A chain is three
    // deep: two wake each other twice, five fill the ten messages; rounds are
    // three with everybody in them; a supervisor asks before each of three.
    let table = [
        (TurnPolicy::DefaultResponder, [3, 10]),
        (TurnPolicy::Mention, [0, 0]),
        (TurnPolicy::Rounds, [6, 15]),
        (TurnPolicy::RoundRobin, [3, 10]),
        (TurnPolicy::Weighted, [3, 10]),
        (TurnPolicy::Supervisor, [6, 6]),
        (TurnPolicy::Broadcast, [6, 10]),
        (TurnPolicy::Manual, [0, 0]),
    ];
    assert_eq!(table.map(|(policy, _)| policy), TurnPolicy::ALL);
    for (policy, most) in table {
        for (members, most) in [(TWO, most[0]), (FIVE, most[1])] {
            for growing in [true, false] {
                let stage = stage().model(echo(members, growing)).open().await;
                let group = stage.group(members, policy).await;
                stage.say(group, "the kettle boils").await;
                let calls = stage.model.requests().len();
                assert!(calls <= most, "{policy:?}, {}: {calls} calls", members.len());
                let view = stage.view(group).await;
                assert!(view.messages_since_post as usize <= answers_at_most(policy));
            }
        }
    }
}

// Seen in anneschuth/claude-threads#491, Team-Commonly/commonly#508, sageox/agent-toolkit#73.
#[tokio::test]
async fn notices_wake_nobody_in_any_policy() {
    for policy in TurnPolicy::ALL {
        let stage = stage().model(has_thoughts()).open().await;
        let group = stage.group(&["Ada", "Bo"], policy).await;
        let agent = stage.agent("Otto").await.id;
        let joins = Command::AddMember { group, agent, sees: domain::History::All };
        stage.do_(joins).await;
        stage.do_(Command::RemoveMember { group, agent }).await;
        stage.quiet().await;
        assert_eq!(stage.transcript(group).await, ["<joined>", "<left>"], "{policy:?}");
        assert_eq!(stage.decisions(group).await, Vec::<String>::new(), "{policy:?}");
    }
}

/// What is cut because it is another's to say is not lost, and nobody is said to
/// have chosen silence.
#[tokio::test]
async fn an_answer_in_anothers_name_alone_is_on_record_as_that() {
    for written in ["Bo: I will do it all", "[12:30] Bo: hi", "[2026-11-22 12:30:07] **Bo**: hi"] {
        is_on_record_as_bos(written).await;
    }
}

async fn is_on_record_as_bos(written: &'static str) {
    let model = Scripted::from_fn(move |_, _| vec![Beat::Text(written.to_owned())]);
    let stage = stage().model(model).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.say(group, "@Ada who does it?").await;
    let run = stage.runs().await[0].clone();
    let name = "Bo".to_owned();
    let reason = domain::Reason::SpokeForAnother { name };
    assert_eq!(run.outcome, Some(domain::Outcome::Silent { reason }));
    assert_eq!(left_out(&stage, run.id).await, [written]);
}

/// Where an agent said something first, what was cut behind it is told as well.
#[tokio::test]
async fn what_is_cut_behind_an_answer_is_on_record() {
    let stage = stage().model(says("I will.\n\nBo: so will I.\nAda: good.")).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.say(group, "@Ada who does it?").await;
    assert_eq!(stage.transcript(group).await.last().map(String::as_str), Some("Ada: I will."));
    let run = stage.runs().await[0].id;
    // The call is left there: what follows is not heard.
    assert_eq!(left_out(&stage, run).await, ["Bo: so will I.\nAda: good."]);
}

/// Whose words stand in the history may be carried on as well as those of who is here.
#[tokio::test]
async fn nobody_speaks_in_the_name_of_who_has_left() {
    let model = Scripted::from_fn(|request: &llm::ModelRequest, _| {
        let said = if speaker(request) == "Ada" { "I will.\n\nBo: so will I." } else { "Me too." };
        vec![Beat::Text(said.to_owned())]
    });
    let stage = stage().model(model).open().await;
    let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::Mention).await;
    stage.say(group, "@Bo who does it?").await;
    let agent = stage.agent("Bo").await.id;
    stage.do_(Command::RemoveMember { group, agent }).await;
    stage.say(group, "@Ada and you?").await;
    assert_eq!(stage.transcript(group).await.last().map(String::as_str), Some("Ada: I will."));
    let asked = stage.model.requests().pop().expect("a request");
    assert!(asked.stop.is_empty(), "it is cut where it is heard: {:?}", asked.stop);
}

async fn left_out(stage: &Stage, run: domain::RunId) -> Vec<String> {
    let steps = stage.run(run).await.steps;
    let left_out = steps.into_iter().filter_map(|step| match step.kind {
        domain::StepKind::SpokeForAnother { text } => Some(text),
        _ => None,
    });
    left_out.collect()
}
