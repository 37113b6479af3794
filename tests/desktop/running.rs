//! What agents do besides talking, what they may spend, and how they are held
//! back: seen and done in the window.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::{Window, agent, id, key};
use domain::{Call, Command, Query, Reply};
use rustix::process::{Signal, kill_process};

#[tokio::test]
async fn a_use_of_a_tool_stands_under_the_answer_and_opens() {
    let machine = Machine::seeded(seed().calculation("seventeen", "17*23", "391")).await;
    let window = machine.open_window().await;
    window.say("What is seventeen times 23?").await;
    window.see_message("Ada: It is 391.").await;
    let line = id("tool-line[data-tool=calculator]");
    window.see_text(&line, "17*23").await;
    window.see(&format!("{line}[data-state=succeeded]")).await;
    window.click(&format!("{line} button")).await;
    window.see_text(&id("tool-arguments"), "17*23").await;
    window.see_text(&id("tool-result"), "391").await;
    window.keep_picture("tool-line").await;

    window.click(&id("receipt-why")).await;
    window.see_text(&id("run-detail"), "calculator").await;
    window.see(&id("tool-offered[data-tool=calculator]")).await;
    window.see_text(&id("run-cost"), "no price").await;
    window.see_text(&id("run-decisions"), "Ada speaks").await;
    window.click(&id("run-replay")).await;
    window.see_text(&id("run-replayed"), "done again the same way").await;
    window.keep_picture("run-with-a-tool").await;
}

/// How often an answer ends its process that is then not taken up again by itself.
const TRIES: u32 = 4;

/// A window whose process ends in the middle of an answer, as often as it is
/// tried, and another one.
async fn cut_off(machine: &Machine) -> Window {
    for time in 1..=TRIES {
        let window = machine.open_window().await;
        if time == 1 {
            window.say("Please dig").await;
        }
        window.see_text(&id("streaming"), "I dig and").await;
        kill_process(window.program(), Signal::KILL).expect("it runs");
        drop(window);
    }
    let again = machine.open_window().await;
    again.see_text(&id("run-interrupted"), "Ada was interrupted").await;
    again
}

#[tokio::test]
async fn an_answer_that_was_cut_off_can_be_resumed_in_the_window() {
    let machine = Machine::seeded(seed().endless_answer("dig", "I dig and")).await;
    let window = cut_off(&machine).await;
    window.keep_picture("interrupted").await;
    window.see_text(&id("run-interrupted"), "Coterie ended 4 times").await;
    for again in ["interrupted", "run-failed"] {
        window.see_gone(&id(again)).await;
    }
    window.click(&id("resume-run")).await;
    window.see_text(&id("streaming"), "I dig and").await;
    window.see_gone(&id("run-interrupted")).await;
    window.press(&[key::ESCAPE]).await;
    window.see_message("Ada: I dig and").await;
}

#[tokio::test]
async fn an_answer_that_was_cut_off_can_be_dropped_in_the_window() {
    let machine = Machine::seeded(seed().endless_answer("dig", "I dig and")).await;
    let window = cut_off(&machine).await;
    window.click(&id("drop-run")).await;
    window.see_gone(&id("run-interrupted")).await;
    window.see_text(&id("run-dropped"), "You dropped it").await;
    window.click(&id("rail-runs")).await;
    window.see(&id("run-row[data-state=dropped]")).await;
}

/// Sets the limit on tokens of all agents together, in the window.
async fn limit_the_day(window: &Window, tokens: &str) {
    window.click(&id("budget-bar")).await;
    let day = id("budget-row[data-scope=day]");
    window.click(&format!("{day} {}", id("budget-edit"))).await;
    window.see(&id("limit-save")).await;
    let is_off = id("limit-no-tokens[aria-checked=true]");
    if window
        .run("return document.querySelector(arguments[0]) !== null", &[is_off.as_str().into()])
        .await
        == true
    {
        window.click(&id("limit-no-tokens")).await;
    }
    window.see(&id("limit-no-tokens[aria-checked=false]")).await;
    window.empty(&id("limit-tokens")).await;
    window.write(&id("limit-tokens"), tokens).await;
    window.keep_picture(&format!("limit-{tokens}")).await;
    window.click(&id("limit-save")).await;
    window.see_gone(&id("limit-form")).await;
}

#[tokio::test]
async fn a_budget_of_zero_stops_a_conversation_and_raising_it_brings_the_answer() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    limit_the_day(&window, "0").await;
    window.see_text(&id("budget-row[data-scope=day]"), "used up").await;
    window.keep_picture("budgets").await;
    window.click(&id("rail-conversations")).await;
    window.say("Hello").await;
    window.see_text(&id("run-failed"), "budget").await;
    window.see_text(&id("run-failed"), "the agents go on elsewhere").await;
    window.see(&format!("{}[data-state=idle]", agent("Ada"))).await;
    window.keep_picture("budget-used-up").await;

    limit_the_day(&window, "500000").await;
    window.click(&id("rail-conversations")).await;
    window.see_message("Ada: Ada is here.").await;
}

/// Opens the menu of an agent's row and takes this from it.
async fn take(window: &Window, name: &str, item: &str) {
    let row = agent(name);
    // A pointer that rests where it was points at nothing new.
    window.point_at(&id("composer")).await;
    window.point_at(&row).await;
    window.click(&format!("li:has(> {row}) {}", id("row-menu"))).await;
    window.click_text("[role=menuitem]", item).await;
}

#[tokio::test]
async fn an_agent_is_paused_resumed_and_ended_by_its_menu() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.see(&agent("Bo")).await;
    take(&window, "Bo", "Pause").await;
    window.see(&format!("{}[data-state=paused]", agent("Bo"))).await;
    window.say("@Bo are you there?").await;
    window.see_text(&id("quiet-line"), "Bo will answer later: paused").await;
    window.keep_picture("paused").await;
    window.click(&id("resume-agent")).await;
    window.see_message("Bo: Bo is here.").await;

    let bo = machine.agent("Bo").await.id;
    let child = Command::NewAgent {
        soul: "otto".into(),
        name: Some("Kit".into()),
        model: None,
        parent: Some(bo),
    };
    machine.ask(Call::Command(child)).await;
    window.see(&format!("{}[data-parent=Bo]", agent("Kit"))).await;
    take(&window, "Bo", "End").await;
    window.see_text(&id("terminate-dialog"), "Kit works for Bo and ends with it.").await;
    window.see_gone("[role=menu]").await;
    window.keep_picture("terminate").await;
    window.click(&id("terminate-do")).await;
    window.see_gone(&agent("Bo")).await;
    window.see_gone(&agent("Kit")).await;
    until("both have ended", async || {
        let Reply::Overview(overview) = machine.ask(Call::Query(Query::Overview)).await else {
            panic!("no overview")
        };
        let lives = |name: &str| {
            overview
                .agents
                .iter()
                .any(|agent| agent.name == name && agent.state != domain::AgentState::Terminated)
        };
        (!lives("Bo") && !lives("Kit")).then_some(())
    })
    .await;
}
