//! Coterie among the other programs of a desktop: one window a workspace, which comes back as it
//! was left, and what goes on while it is away.

use crate::icon::Icons;
use crate::machine::Machine;
use crate::screen::Screen;
use crate::seed::seed;
use crate::until::until;
use crate::window::{Window, group, id};
use std::process::Output;

fn well(output: Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn a_second_start_leads_to_the_window_with_what_it_is_to_show() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    window.click(&id("rail-settings")).await;
    window.see(&id("page-settings")).await;

    well(machine.start_again(&["coterie://group/first%20group"]));
    window.see(&id("page-conversations")).await;
    well(machine.start_again(&["coterie://soul/ada"]));
    window.see(&id("page-souls")).await;
    window.see_text(&id("soul-prompt"), "Ada").await;
    // What is not there, and what is no link, is said and changes nothing.
    well(machine.start_again(&["coterie://run/0193e0a5-0000-7000-8000-000000000000"]));
    window.see_text(&id("toast"), "not in this workspace").await;
    well(machine.start_again(&["coterie://group/First%20group?terminate=ada"]));
    window.see_text(&id("toast"), "names nothing that a workspace has").await;
    window.see(&id("page-souls")).await;
    assert_eq!(machine.agent("Ada").await.state, domain::AgentState::Idle);
}

#[tokio::test]
async fn the_first_start_shows_what_its_link_names() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window_with(&["coterie://soul/ines"]).await;
    window.see(&id("page-souls")).await;
    window.see_text(&id("soul-prompt"), "Ines").await;
}

#[tokio::test]
async fn closing_the_window_ends_everything_unless_the_person_wished_otherwise() {
    let machine = Machine::seeded(seed()).await;
    let screen = Screen::of(machine.display());
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    let program = window.program();
    screen.close(screen.see_window().await);
    window.see_end(program).await;

    let window = machine.open_window().await;
    switch_on(&window, "desktop-stays").await;
    window.keep_picture("settings-this-computer").await;
    let program = window.program();
    screen.close(screen.see_window().await);
    screen.see_no_window().await;
    let said = machine.coterie(&["say", "First group", "Hello"]);
    assert!(String::from_utf8_lossy(&said.stdout).contains("Ada is here."));
    let owner = door::owner(&machine.data()).expect("the window still owns the workspace");
    assert_eq!(owner.pid, u32::try_from(program.as_raw_nonzero().get()).expect("a number"));

    well(machine.start_again(&[]));
    screen.see_window().await;
    window.click(&id("rail-conversations")).await;
    window.click(&group("First group")).await;
    window.see_message("Ada: Ada is here.").await;
}

#[tokio::test]
async fn the_window_comes_back_where_it_was_and_as_large() {
    let machine = Machine::seeded(seed()).await;
    let screen = Screen::of(machine.display());
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    let on_screen = screen.see_window().await;
    screen.put(on_screen, 120, 60, 1010, 690);
    until("the page has that size", async || (inner(&window).await == [1010, 690]).then_some(()))
        .await;
    window.close().await;

    let window = machine.open_window().await;
    window.see(&id("app")).await;
    let on_screen = screen.see_window().await;
    until("it is where it was", async || {
        (screen.place(on_screen) == (120, 60, 1010, 690)).then_some(())
    })
    .await;
}

async fn inner(window: &Window) -> [u32; 2] {
    let size = window.run("return [innerWidth, innerHeight]", &[]).await;
    serde_json::from_value(size).expect("two numbers")
}

#[tokio::test]
async fn the_icon_says_what_waits_and_pauses_everybody_while_the_window_is_away() {
    let machine = Machine::seeded(seed().writing("write it down", "plan.md", "planted")).await;
    let screen = Screen::of(machine.display());
    let mut icons = Icons::of(&machine).await;
    let window = machine.open_window().await;
    let icon = icons.see().await;
    icon.see("Nobody works").await;
    icon.see("Nothing waits for you").await;
    switch_on(&window, "desktop-stays").await;
    screen.close(screen.see_window().await);
    screen.see_no_window().await;

    well(machine.coterie(&["say", "--wait", "0", "First group", "Please write it down"]));
    icon.see("1 waits for your answer").await;
    icon.choose("Pause everybody").await;
    icon.see("Everybody rests").await;
    assert_eq!(machine.agent("Ada").await.state, domain::AgentState::Paused);
    icon.choose("Have everybody go on").await;
    icon.see("Nobody works").await;

    icon.choose("Show the window").await;
    screen.see_window().await;
    let program = window.program();
    icon.choose("Quit Coterie").await;
    window.see_end(program).await;
}

#[tokio::test]
async fn it_starts_with_the_system_without_its_window_as_long_as_the_person_wishes() {
    let machine = Machine::seeded(seed()).await;
    let entry = machine.home().join(".config/autostart/Coterie.desktop");
    let window = machine.open_window().await;
    switch_on(&window, "desktop-with-system").await;
    let written = until("it is written", async || std::fs::read_to_string(&entry).ok()).await;
    let starts = format!("coterie-desktop --hidden --data={}", machine.data().display());
    assert!(
        written.lines().any(|line| line.starts_with("Exec=") && line.ends_with(&starts)),
        "{written}"
    );
    window.click(&id("desktop-with-system")).await;
    until("it is gone", async || (!entry.exists()).then_some(())).await;
    window.see(&id("desktop-with-system[aria-checked=false]")).await;
    window.close().await;

    let screen = Screen::of(machine.display());
    let hidden = machine.open_window_with(&["--hidden"]).await;
    hidden.see(&id("app")).await;
    assert_eq!(screen.shown(), None);
    well(machine.start_again(&[]));
    screen.see_window().await;
}

async fn switch_on(window: &Window, switch: &str) {
    window.see(&id("app")).await;
    window.click(&id("rail-settings")).await;
    window.click(&id("settings-desktop")).await;
    window.click(&id(&format!("{switch}[aria-checked=false]"))).await;
    window.see(&id(&format!("{switch}[aria-checked=true]"))).await;
}
