//! The rules of a group, set in the window and seen in what agents do.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::id;
use domain::{Call, Query, Reply, TurnPolicy};

/// The policy of the first group, as the workspace has it.
async fn policy(machine: &Machine) -> TurnPolicy {
    let Reply::Overview(overview) = machine.ask(Call::Query(Query::Overview)).await else {
        panic!("no overview")
    };
    let mut groups = overview.groups.into_iter().map(|view| view.group);
    groups.find(|group| group.name == "First group").expect("it is there from the start").policy
}

#[tokio::test]
async fn a_group_whose_talkative_members_speak_more_often() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.choose(&id("policy-select"), "The talkative more often").await;
    window.see(&id("talkative[data-name=Bo]")).await;
    assert_eq!(policy(&machine).await, TurnPolicy::Weighted);
    for (name, weight) in [("Ada", "0"), ("Otto", "0"), ("Bo", "100")] {
        let slide = "const slider = document.querySelector(arguments[0]);
            slider.value = arguments[1];
            slider.dispatchEvent(new Event('change', {bubbles: true}))";
        let slider = id(&format!("talkative[data-name={name}]"));
        window.run(slide, &[slider.as_str().into(), weight.into()]).await;
        let shown = "return document.querySelector(arguments[0]).nextElementSibling.innerText";
        until("the weight is shown", async || {
            let now = window.run(shown, &[slider.as_str().into()]).await;
            (now == weight).then_some(())
        })
        .await;
    }
    window.say("Who has an idea?").await;
    window.see_message("Bo: Bo is here.").await;
    window.see_text(&id("receipt-why"), "Drawn by chance, 100 % likely").await;
    window.see_text(&id("quiet-line"), "not drawn").await;
    window.keep_picture("policy-weighted").await;
}

#[tokio::test]
async fn a_group_whose_supervisor_names_who_speaks() {
    let machine = Machine::seeded(seed().leads(&["Bo"])).await;
    let window = machine.open_window().await;
    window.choose(&id("policy-select"), "A supervisor decides").await;
    window.choose(&id("supervisor-select"), "Otto").await;
    window.see_text(&id("group-page"), "Otto names who speaks").await;
    assert_eq!(policy(&machine).await, TurnPolicy::Supervisor);
    window.say("Who has an idea?").await;
    window.see_message("Bo: Bo is here.").await;
    window.see_text(&id("receipt-why"), "Chosen by Otto").await;
    window.keep_picture("policy-supervisor").await;
}
