//! One workspace, seen by two windows and the command line.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::{agent, group, id, member};

#[tokio::test]
async fn two_windows_show_the_same() {
    let machine = Machine::seeded(seed()).await;
    let one = machine.open_window().await;
    one.see(&id("app")).await;
    let other = machine.open_another_window().await;
    other.see(&id("app")).await;
    one.say("Hello from one").await;
    other.see_message("Ada: Ada is here.").await;
    other.say("Hello from the other").await;
    one.see_message("user: Hello from the other").await;
    other.drag(&agent("Ines"), &group("First group")).await;
    one.see(&member("Ines")).await;
}

#[tokio::test]
async fn a_window_goes_on_when_the_one_that_owned_the_workspace_is_closed() {
    let machine = Machine::seeded(seed()).await;
    let owner = machine.open_window().await;
    owner.say("Hello").await;
    owner.see_message("Ada: Ada is here.").await;
    let other = machine.open_another_window().await;
    other.see_message("Ada: Ada is here.").await;
    owner.close().await;
    other.see(&id("app")).await;
    crate::until::until("the other window owns the workspace", async || {
        let owner = door::owner(&machine.data())?;
        (owner.pid == u32::try_from(other.program().as_raw_nonzero().get()).ok()?).then_some(())
    })
    .await;
    other.say("Still there?").await;
    other.see_message("user: Still there?").await;
    crate::until::until("it is answered", async || {
        (other.messages().await.len() == 4).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_the_command_line_says_shows_up_in_the_window() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    let said = machine.coterie(&["say", "First group", "Hello from a terminal"]);
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    assert!(String::from_utf8_lossy(&said.stdout).contains("Ada is here."));
    window.see_message("Ada: Ada is here.").await;
    assert_eq!(window.messages().await, ["user: Hello from a terminal", "Ada: Ada is here."]);
}
