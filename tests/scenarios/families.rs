//! Agents that give tasks to children of their own.

mod as_souls_say;
mod durable;
mod replayed;
mod resting;

use domain::{
    AgentState, Command, GroupKind, Limits, Reason, RunState, SettingsPatch, TransitionCause,
};
use llm::scripted::{Beat, Gate, Scripted};
use llm::{ModelRequest, Role, ToolCallDelta};
use serde_json::json;
use tests::{Stage, speaker, stage};

/// A soul that may give tasks to these.
async fn soul(stage: &Stage, name: &str, delegates: &[&str]) {
    let delegates = delegates.join(", ");
    let text =
        format!("---\nname: {name}\ndelegates: [{delegates}]\nplan: never\n---\nYou are {name}.\n");
    let soul = name.to_lowercase();
    stage.do_(Command::SaveSoul { soul, text, base_hash: None }).await;
}

async fn agent(stage: &Stage, soul: &str) {
    let soul = soul.to_owned();
    stage.do_(Command::NewAgent { soul, name: None, model: None, parent: None }).await;
}

/// Chief gives one task; the scout answers when the gate opens.
fn delegating(gate: &Gate) -> Scripted {
    let gate = gate.clone();
    Scripted::from_fn(move |request: &ModelRequest, _| match speaker(request).as_str() {
        "Chief" if results(request).is_empty() => vec![delegates("c1", "scout", "look")],
        "Chief" => says(format!("It is {}", results(request).join(" and "))),
        _ => vec![Beat::Gate(gate.clone()), Beat::Text("deep".into())],
    })
}

fn delegates(id: &str, to: &str, task: &str) -> Beat {
    let arguments = json!({"to": to, "task": task}).to_string();
    Beat::ToolCall(ToolCallDelta { id: id.into(), name: Some("delegate".into()), arguments })
}

fn results(request: &ModelRequest) -> Vec<String> {
    let results = request.turns.iter().filter(|turn| turn.role == Role::Tool);
    results.map(|turn| turn.content.clone()).collect()
}

fn says(text: impl Into<String>) -> Vec<Beat> {
    vec![Beat::Text(text.into())]
}

#[tokio::test]
async fn a_task_goes_to_a_child_that_knows_nothing_else_and_its_result_comes_back() {
    let model = Scripted::from_fn(|request, _| match speaker(request).as_str() {
        "Chief" if results(request).is_empty() => {
            vec![delegates("c1", "Scout", "How deep is the well?")]
        }
        "Chief" => says(format!("It is {}", results(request)[0])),
        _ => says("nine metres"),
    });
    let stage = stage().model(model).open().await;
    soul(&stage, "Scout", &[]).await;
    soul(&stage, "Chief", &["scout"]).await;
    agent(&stage, "chief").await;
    let chief = stage.direct("Chief").await;
    stage.say(chief, "Look into the well").await;
    assert_eq!(
        stage.transcript(chief).await,
        ["you: Look into the well", "Chief: It is nine metres"]
    );

    let child = stage.agent("Scout").await;
    assert_eq!(child.state, AgentState::Terminated);
    let overview = stage.overview().await.agents;
    assert!(!overview.contains(&child), "it is found by its run");
    assert!(overview.iter().any(|agent| agent.name == "Chief"));
    assert_eq!(child.parent, Some(stage.agent("Chief").await.id));
    let asked = stage.model.requests().remove(1);
    assert!(asked.turns.iter().all(|turn| !turn.content.contains("Look into")), "{asked:?}");
    assert!(asked.turns.last().unwrap().content.contains("How deep is the well?"));
    let run = stage.runs().await.into_iter().find(|run| run.agent == child.id).unwrap();
    assert_eq!(run.cause.reason, Reason::Delegated { by: stage.agent("Chief").await.id });
    assert_eq!(run.root, stage.runs().await[0].root, "it is charged to the person's message");
}

/// People write what they see, which is the name, and what they saved, which is the file.
#[tokio::test]
async fn a_delegate_is_named_by_its_file_or_its_name_in_the_soul_and_in_the_call() {
    for listed in ["pathfinder", "Pathfinder", "Scout", "SCOUT", "Dr. Ng"] {
        for to in ["Scout", "scout ", "pathfinder"] {
            let model = Scripted::from_fn(move |request, _| match speaker(request).as_str() {
                "Chief" if results(request).is_empty() => vec![delegates("c1", to, "look")],
                "Chief" => says(results(request)[0].clone()),
                _ => says("nine metres"),
            });
            let stage = stage().model(model).open().await;
            let text = "---\nname: Scout\nplan: never\n---\nYou are Scout.\n".to_owned();
            let soul_file = "pathfinder".to_owned();
            stage.do_(Command::SaveSoul { soul: soul_file, text, base_hash: None }).await;
            soul(&stage, "Chief", &[listed, "ada"]).await;
            agent(&stage, "chief").await;
            let chief = stage.direct("Chief").await;
            stage.say(chief, "Look into the well").await;
            let said = stage.transcript(chief).await.pop();
            let expected = match listed {
                "Dr. Ng" => {
                    format!("Chief: you have no delegate {to}; yours are: Ada", to = to.trim())
                }
                _ => "Chief: nine metres".to_owned(),
            };
            assert_eq!(said, Some(expected), "{listed} {to}");
        }
    }
}

// Seen in can1357/oh-my-pi#3749, zed#47232, gptme#2892.
#[tokio::test]
async fn thirteen_agents_in_three_levels_finish_with_one_model_call_at_a_time() {
    let model = Scripted::from_fn(|request, _| {
        let name = speaker(request);
        let level = name.trim_end_matches(|c: char| c.is_ascii_digit());
        match (level, results(request).as_slice()) {
            ("Worker", _) => says("1"),
            (_, []) => {
                let below = if level == "Chief" { "lead" } else { "worker" };
                (0..3).map(|n| delegates(&format!("c{n}"), below, "count")).collect()
            }
            (_, results) => {
                let sum: u32 = results.iter().map(|text| text.parse::<u32>().unwrap()).sum();
                says((sum + 1).to_string())
            }
        }
    });
    let stage = stage().model(model).open().await;
    let limits = Some(Limits { max_concurrent: 1, ..Limits::default() });
    stage
        .do_(Command::ChangeSettings { patch: SettingsPatch { limits, ..Default::default() } })
        .await;
    let stage = stage.reopen().await;
    soul(&stage, "Worker", &[]).await;
    soul(&stage, "Lead", &["worker"]).await;
    soul(&stage, "Chief", &["lead"]).await;
    agent(&stage, "chief").await;
    let chief = stage.direct("Chief").await;
    stage.say(chief, "count everybody").await;
    assert_eq!(stage.transcript(chief).await, ["you: count everybody", "Chief: 13"]);
    assert_eq!(stage.model.most_at_once(), 1);
}

#[tokio::test]
async fn ending_the_first_agent_ends_everybody_below_it() {
    let model = Scripted::from_fn(|request, _| match speaker(request).as_str() {
        "Chief" => vec![delegates("c1", "lead", "go")],
        "Lead" => vec![delegates("c1", "worker", "go")],
        _ => vec![Beat::Text("still".into()), Beat::Hang],
    });
    let stage = stage().model(model).open().await;
    soul(&stage, "Worker", &[]).await;
    soul(&stage, "Lead", &["worker"]).await;
    soul(&stage, "Chief", &["lead"]).await;
    agent(&stage, "chief").await;
    let chief = stage.direct("Chief").await;
    stage.post(chief, "go").await;
    stage.model.asked(3).await;
    let agent = stage.agent("Chief").await.id;
    stage.do_(Command::TerminateAgent { agent }).await;
    stage
        .until(async |stage: &Stage| {
            stage.runs().await.iter().all(|run| run.state != RunState::Running)
        })
        .await;
    for name in ["Chief", "Lead", "Worker"] {
        assert_eq!(stage.agent(name).await.state, AgentState::Terminated, "{name}");
    }
    let id = stage.agent("Worker").await.id;
    let last = match stage.query(domain::Query::Agent { agent: id }).await.unwrap() {
        domain::Reply::AgentDetail(detail) => {
            detail.transitions.into_iter().max_by_key(|change| change.seq)
        }
        other => panic!("no agent: {other:?}"),
    };
    assert_eq!(last.unwrap().cause, TransitionCause::ParentTerminated);
}

// Seen in Mininglamp/cc-channel-octo#185.
#[tokio::test]
async fn who_delegates_without_end_is_told_where_it_ends() {
    let model = Scripted::from_fn(|request, n| match results(request).last() {
        None => vec![delegates(&format!("c{n}"), "mirror", "go on")],
        Some(result) => says(format!("I heard: {result}")),
    });
    let stage = stage().model(model).open().await;
    soul(&stage, "Mirror", &["mirror"]).await;
    agent(&stage, "mirror").await;
    let mirror = stage.direct("Mirror").await;
    stage.say(mirror, "go on").await;
    let said = stage.transcript(mirror).await;
    assert!(said[1].contains("3 generations of children below Mirror are the limit"), "{said:?}");
    let agents = stage.everybody().await;
    assert_eq!(agents.iter().filter(|agent| agent.soul == "mirror").count(), 4);
}

#[tokio::test]
async fn a_child_that_was_at_work_in_a_crash_is_made_once_and_its_result_arrives() {
    let gate = Gate::new();
    let script = {
        let gate = gate.clone();
        move |request: &ModelRequest, _| match speaker(request).as_str() {
            "Chief" if results(request).is_empty() => vec![delegates("c1", "scout", "look")],
            "Chief" => says(format!("It is {}", results(request)[0])),
            _ => vec![Beat::Gate(gate.clone()), Beat::Text("deep".into())],
        }
    };
    let stage = stage().model(Scripted::from_fn(script.clone())).open().await;
    soul(&stage, "Scout", &[]).await;
    soul(&stage, "Chief", &["scout"]).await;
    agent(&stage, "chief").await;
    let chief = stage.direct("Chief").await;
    stage.post(chief, "look").await;
    gate.arrived(1).await;
    let opened = Gate::new();
    opened.open();
    gate.open();
    let stage = stage.crash(Scripted::from_fn(script)).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(chief).await, ["you: look", "Chief: It is deep"]);
    let agents = stage.everybody().await;
    assert_eq!(agents.iter().filter(|agent| agent.soul == "scout").count(), 1);
}

#[tokio::test]
async fn a_child_whose_soul_and_parent_have_a_tool_has_it_also_where_that_needs_a_folder() {
    let model = Scripted::from_fn(|request, _| match speaker(request).as_str() {
        "Chief" if results(request).is_empty() => vec![delegates("c1", "scout", "write it")],
        "Chief" => says("done"),
        _ => says("written"),
    });
    let stage = stage().model(model).open().await;
    for (name, more) in [("Scout", ""), ("Chief", "delegates: [scout]\n")] {
        let tools = "tools: [write_file, delegate]\nplan: never";
        let text = format!("---\nname: {name}\n{more}{tools}\n---\nYou are {name}.\n");
        let soul = name.to_lowercase();
        stage.do_(Command::SaveSoul { soul, text, base_hash: None }).await;
    }
    agent(&stage, "chief").await;
    let chief = stage.direct("Chief").await;
    stage.say(chief, "write it down").await;
    for request in &stage.model.requests()[..2] {
        let tools: Vec<_> = request.tools.iter().map(|spec| spec.name.as_str()).collect();
        assert!(tools.contains(&"write_file"), "{tools:?}");
    }
}

#[tokio::test]
async fn a_child_has_no_tool_that_its_parent_was_not_given() {
    let model = Scripted::from_fn(|request, _| match speaker(request).as_str() {
        "Chief" if results(request).is_empty() => vec![delegates("c1", "scout", "add")],
        "Chief" => says("done"),
        _ => says("added"),
    });
    let stage = stage().model(model).open().await;
    soul(&stage, "Scout", &["scout"]).await;
    let text = "---\nname: Chief\ndelegates: [scout]\ntools: [delegate]\nplan: never\n---\nYou are Chief.\n";
    let save = Command::SaveSoul { soul: "chief".into(), text: text.into(), base_hash: None };
    stage.do_(save).await;
    agent(&stage, "chief").await;
    let chief = stage.direct("Chief").await;
    stage.say(chief, "add").await;
    let tools = |n: usize| {
        let request = stage.model.requests().remove(n);
        request.tools.iter().map(|spec| spec.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(tools(0), ["delegate"]);
    assert_eq!(tools(1), ["delegate"], "without the calculator that its own soul would give it");
    let groups = stage.overview().await.groups;
    assert!(groups.iter().all(|view| view.group.kind != GroupKind::Task || view.group.archived));
}
