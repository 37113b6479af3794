//! What models are told, in the person's own words.

use domain::{CheckState, Query, Reply};
use llm::Role;
use llm::scripted::{Beat, Scripted};
use serde_json::json;
use std::fs;
use tests::{Stage, says, stage};

/// Puts a prompt of one's own into the workspace.
fn own(stage: &Stage, name: &str, text: &str) {
    let folder = stage.data().join("prompts");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join(name), text).expect("a file");
}

/// The system prompt of the newest request.
fn told(stage: &Stage) -> String {
    let request = stage.model.requests().pop().expect("somebody was asked");
    request.turns.into_iter().find(|turn| turn.role == Role::System).expect("a prompt").content
}

#[tokio::test]
async fn a_prompt_of_ones_own_takes_the_place_of_ours_from_the_next_turn_on() {
    let stage = stage().model(says("Good.")).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Hello.").await;
    let ours = told(&stage);
    own(&stage, "base.md", "You, {{ name }}, are terse.");
    own(&stage, "direct.md", "With {% for one in members %}{{ one.name }}{% endfor %} alone.");
    stage.say(ada, "And now?").await;
    let told_now = told(&stage);
    assert!(told_now.starts_with("You, Ada, are terse.\n\n"), "{told_now}");
    assert!(told_now.contains("\n\nWith User alone."), "{told_now}");
    fs::remove_dir_all(stage.data().join("prompts")).expect("they are gone");
    stage.say(ada, "And again?").await;
    assert_eq!(told(&stage), ours);
}

#[tokio::test]
async fn a_plan_is_asked_for_in_the_persons_words() {
    let model = Scripted::from_fn(|request, _| {
        let last = request.turns.last().expect("a turn");
        vec![Beat::Text(match last.content.contains("Chart the way") {
            true => {
                json!({"steps": [{"id": "a", "action": "reply", "arguments": {"about": "it"}}]})
                    .to_string()
            }
            false => "Done.".into(),
        })]
    });
    let soul = "---\nname: Ada\nplan: always\ntools: [calculator]\n---\nYou plan.\n";
    let prepare = move |data: &std::path::Path| {
        fs::create_dir_all(data.join("souls")).expect("a folder");
        fs::write(data.join("souls/ada.md"), soul).expect("a soul");
    };
    let stage = stage().before(prepare).model(model).open().await;
    own(&stage, "plan.md", "Chart the way. With:");
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Reckon and tell.").await;
    let asked = stage.model.requests();
    let chart = asked.iter().filter_map(|request| request.turns.last());
    let chart: Vec<&str> =
        chart.map(|turn| turn.content.as_str()).filter(|text| text.contains("Chart")).collect();
    let [chart] = chart.as_slice() else { panic!("not asked once: {chart:?}") };
    assert!(chart.contains("Chart the way. With:\n"), "{chart}");
    assert!(chart.contains("calculator"), "the tools follow: {chart}");
    assert!(stage.transcript(ada).await.contains(&"Ada: Done.".to_owned()));
}

#[tokio::test]
async fn one_that_cannot_be_used_is_told_of_and_ours_is_used() {
    let stage = stage().model(says("Good.")).open().await;
    let ada = stage.direct("Ada").await;
    own(&stage, "base.md", "You are {{ nmae }}.");
    stage.say(ada, "Hello.").await;
    assert!(told(&stage).starts_with("You are Ada, an agent"), "{}", told(&stage));
    let Ok(Reply::Checks(checks)) = stage.query(Query::Doctor).await else { panic!("no checks") };
    let found = checks.iter().find(|check| check.name == "prompts").expect("it is told of");
    assert_eq!(found.state, CheckState::Degraded);
    let why = "base.md: it speaks of nmae, which is not given; there are: name";
    assert!(found.detail.ends_with(why), "{}", found.detail);
}
