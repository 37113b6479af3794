//! What the system tells while nobody looks at the window: once for each thing that waits, and
//! a click leads to where it is answered.

use crate::machine::Machine;
use crate::seed::seed;
use crate::until::until;
use crate::window::id;
use std::collections::HashMap;
use tokio::sync::mpsc;
use zbus::Connection;
use zbus::connection::Builder;
use zbus::object_server::SignalEmitter;
use zbus::zvariant::OwnedValue;

const PATH: &str = "/org/freedesktop/Notifications";
/// What the story's notices are called by whoever shows them.
const NUMBER: u32 = 7;

/// Whoever shows notices on this machine's session bus.
struct Shower {
    shown: mpsc::UnboundedSender<(String, String)>,
}

#[zbus::interface(name = "org.freedesktop.Notifications")]
impl Shower {
    #[expect(clippy::too_many_arguments, reason = "the specification wants them all")]
    fn notify(
        &self,
        _program: String,
        _replaces: u32,
        _icon: String,
        summary: String,
        body: String,
        actions: Vec<String>,
        _hints: HashMap<String, OwnedValue>,
        _timeout_ms: i32,
    ) -> u32 {
        assert_eq!(actions[0], "default", "it can be clicked on");
        self.shown.send((summary, body)).expect("the story goes on");
        NUMBER
    }

    fn get_capabilities(&self) -> Vec<String> {
        vec!["body".to_owned(), "actions".to_owned()]
    }

    fn get_server_information(&self) -> (String, String, String, String) {
        let words = ["shower", "tests", "1", "1.2"];
        words.map(str::to_owned).into()
    }

    fn close_notification(&self, _number: u32) {}

    #[zbus(signal)]
    async fn action_invoked(
        emitter: &SignalEmitter<'_>,
        number: u32,
        action: &str,
    ) -> zbus::Result<()>;
}

async fn shower(machine: &Machine) -> (Connection, mpsc::UnboundedReceiver<(String, String)>) {
    let (shown, notices) = mpsc::unbounded_channel();
    let on_bus = Builder::address(machine.bus()).expect("an address");
    let named = on_bus.name("org.freedesktop.Notifications").expect("a name");
    let serving = named.serve_at(PATH, Shower { shown }).expect("a path");
    (serving.build().await.expect("the bus is there"), notices)
}

#[tokio::test]
async fn the_system_tells_once_what_waits_and_a_click_leads_there() {
    let content = "planted-4711";
    let machine = Machine::seeded(seed().writing("write it down", "plan.md", content)).await;
    let (bus, mut notices) = shower(&machine).await;
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    // A window that a driver moves has the focus whatever happens on the screen.
    window.run("document.hasFocus = () => false;", &[]).await;
    window.say("Please write it down").await;
    window.see(&id("approval-target")).await;
    let told = until("the system tells", async || notices.try_recv().ok()).await;
    assert_eq!(told, ("Ada wants to use write_file".to_owned(), "In First group".to_owned()));

    // Who asked the system hears of a click only once it listens for it.
    let emitter = SignalEmitter::new(&bus, PATH).expect("a path");
    until("a click leads to what waits", async || {
        Shower::action_invoked(&emitter, NUMBER, "default").await.expect("the bus is there");
        (!window.texts(&id("page-approvals")).await.is_empty()).then_some(())
    })
    .await;
    window.keep_picture("notice-clicked").await;
    window.click(&id("approval-deny")).await;
    window.see_gone(&id("approvals-badge")).await;
    assert!(notices.try_recv().is_err(), "each thing is told once");

    // Whoever does not want it is not told.
    window.click(&id("rail-settings")).await;
    window.click(&id("settings-desktop")).await;
    window.click(&id("approval-notifies")).await;
    window.see(&id("approval-notifies[aria-checked=false]")).await;
    window.click(&id("rail-conversations")).await;
    window.say("Please write it down again").await;
    window.see(&id("approval-target")).await;
    window.see_text(&id("approvals-badge"), "1").await;
    assert!(notices.try_recv().is_err(), "it is switched off");
}

#[tokio::test]
async fn an_agent_that_has_stopped_is_told_once_and_only_to_whoever_wants_it() {
    let fails = seed().failing_answer("fail", "planted-4712", "set another key");
    let machine = Machine::seeded(fails).await;
    let (_bus, mut notices) = shower(&machine).await;
    let window = machine.open_window().await;
    window.see(&id("app")).await;
    window.run("document.hasFocus = () => false;", &[]).await;
    window.say("Please fail").await;
    window.see(&id("run-failed")).await;
    let told = until("the system tells", async || notices.try_recv().ok()).await;
    let text = "What stopped it and what helps is said in the window.";
    assert_eq!(told, ("Ada has stopped".to_owned(), text.to_owned()));
    assert!(notices.try_recv().is_err(), "it is told once");

    window.click(&id("rail-settings")).await;
    window.click(&id("settings-desktop")).await;
    window.click(&id("desktop-tells-trouble")).await;
    window.see(&id("desktop-tells-trouble[aria-checked=false]")).await;
    window.click(&id("rail-conversations")).await;
    window.say("@Otto please fail too").await;
    until("both have failed", async || {
        (window.texts(&id("run-failed")).await.len() == 2).then_some(())
    })
    .await;
    assert!(notices.try_recv().is_err(), "it is switched off");
}
