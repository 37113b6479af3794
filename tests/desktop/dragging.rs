//! Bringing agents together, by pointer and by keys.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::{agent, group, id, key, member};
use domain::{AgentState, Call, Command};

#[tokio::test]
async fn an_agent_dropped_on_another_makes_a_group_in_which_both_answer() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.carry(&agent("Ines"), &agent("Otto")).await;
    window.see_text(&id("ghost"), "Ines").await;
    window.see(&format!("{}.drop", agent("Otto"))).await;
    window.keep_picture("drag-agent-onto-agent").await;
    window.drop_here().await;

    window.see_text(&id("toast"), "New group").await;
    assert_eq!(window.names(&id("member")).await, ["Otto", "Ines"]);
    window.say("@Ines @Otto who is here?").await;
    window.see_message("Ines: Ines is here.").await;
    window.see_message("Otto: Otto is here.").await;
}

#[tokio::test]
async fn an_agent_dropped_on_a_group_joins_it_and_answers_there() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.say("Hello").await;
    window.see_message("Ada: Ada is here.").await;
    window.carry(&agent("Ines"), &group("First group")).await;
    window.see(&format!("{}.drop", group("First group"))).await;
    window.keep_picture("drag-agent-into-group").await;
    window.drop_here().await;

    window.see_text(&id("toast"), "Ines joined First group").await;
    window.see_text(&id("notice-joined"), "Ines").await;
    window.see(&member("Ines")).await;
    window.keep_picture("joined").await;
    window.say("@Ines are you there?").await;
    window.see_message("Ines: Ines is here.").await;
}

#[tokio::test]
async fn undo_takes_a_newcomer_out_again() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.drag(&agent("Ines"), &group("First group")).await;
    window.see(&member("Ines")).await;
    window.click_text(&format!("{} button", id("toast")), "Undo").await;
    window.see_gone(&member("Ines")).await;
    assert_eq!(window.names(&id("member")).await, ["Ada", "Otto", "Bo"]);
}

#[tokio::test]
async fn escape_puts_back_what_is_carried_and_stops_nobody() {
    let machine = Machine::seeded(seed().endless_answer("dig", "I dig and")).await;
    let window = machine.open_window().await;
    window.say("Please dig").await;
    window.see_text(&id("streaming"), "I dig and").await;
    window.carry(&agent("Ines"), &group("First group")).await;
    window.see(&id("ghost")).await;
    window.press(&[key::ESCAPE]).await;
    window.see_gone(&id("ghost")).await;
    window.drop_here().await;
    // What comes after it is seen, so what did not come would have been seen too.
    window.drag(&agent("林夏"), &group("First group")).await;
    window.see(&member("林夏")).await;
    assert_eq!(window.names(&id("member")).await, ["Ada", "Otto", "Bo", "林夏"]);
    window.see_text(&id("streaming"), "I dig and").await;
    window.press(&[key::ESCAPE]).await;
    window.see(&id("cut-short")).await;
}

#[tokio::test]
async fn a_member_dropped_on_the_conversation_leaves_the_group() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.say("Hello").await;
    window.see_message("Ada: Ada is here.").await;
    window.carry(&member("Bo"), &id("group-page")).await;
    window.see_text(&id("drop-out"), "Bo leaves First group").await;
    window.keep_picture("drag-member-out").await;
    window.drop_here().await;
    window.see_gone(&member("Bo")).await;
    window.see_text(&id("notice-left"), "Bo").await;
    window.press_with_control('z').await;
    window.see(&member("Bo")).await;
}

/// Agents change state all the time; whatever is in the hand stays there.
#[tokio::test]
async fn what_happens_meanwhile_does_not_take_an_agent_out_of_the_hand() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    for (carried, target) in
        [(member("Bo"), id("group-page")), (agent("Ines"), group("First group"))]
    {
        window.carry(&carried, &target).await;
        window.see(&id("ghost")).await;
        for name in ["Ada", "Bo", "Ines"] {
            let agent = machine.agent(name).await;
            let paused = agent.state == AgentState::Paused;
            let agent = agent.id;
            let change =
                if paused { Command::ResumeAgent { agent } } else { Command::PauseAgent { agent } };
            machine.ask(Call::Command(change)).await;
            let state = if paused { "idle" } else { "paused" };
            window
                .see(&id(&format!("roster-agent[data-name=\"{name}\"][data-state={state}]")))
                .await;
        }
        window.drop_here().await;
    }
    window.see_gone(&member("Bo")).await;
    window.see(&member("Ines")).await;
}

#[tokio::test]
async fn keys_carry_an_agent_into_a_group() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.focus(&agent("Ines")).await;
    window.press(&[' ']).await;
    window.see_text(&id("carry-voice"), "Ines starts a group with Ada").await;
    let target = format!("{}.drop", group("First group"));
    // Past the other agents.
    for _ in 0..5 {
        window.press(&[key::DOWN]).await;
    }
    window.see(&target).await;
    window.press(&[' ']).await;
    window.see(&member("Ines")).await;
    window.see_text(&id("toast"), "Ines joined First group").await;
}
