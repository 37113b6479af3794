//! The place for icons beside the clock, as desktops have it on the session bus.

use crate::machine::Machine;
use crate::until::until;
use std::collections::HashMap;
use tokio::sync::mpsc;
use zbus::connection::Builder;
use zbus::message::Header;
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};
use zbus::{Connection, Proxy};

const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const MENU: &str = "com.canonical.dbusmenu";

/// An entry with its number, what it is, and what is below it.
type Entry = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

/// Whoever shows the icons.
struct Watcher {
    registered: mpsc::UnboundedSender<(String, String)>,
}

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    fn register_status_notifier_item(&self, #[zbus(header)] header: Header<'_>, path: String) {
        let sender = header.sender().expect("a bus names its senders").to_string();
        self.registered.send((sender, path)).expect("the story goes on");
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        Vec::new()
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }
}

pub(crate) struct Icons {
    bus: Connection,
    registered: mpsc::UnboundedReceiver<(String, String)>,
}

/// One icon, by its menu.
pub(crate) struct Icon {
    menu: Proxy<'static>,
}

impl Icons {
    pub(crate) async fn of(machine: &Machine) -> Icons {
        let (registered, icons) = mpsc::unbounded_channel();
        let bus = Builder::address(machine.bus()).expect("an address");
        let bus = bus.name(WATCHER).expect("a name");
        let bus = bus.serve_at("/StatusNotifierWatcher", Watcher { registered }).expect("a path");
        Icons { bus: bus.build().await.expect("the bus is there"), registered: icons }
    }

    pub(crate) async fn see(&mut self) -> Icon {
        let (owner, path) =
            until("an icon is there", async || self.registered.try_recv().ok()).await;
        let item = Proxy::new(&self.bus, owner.clone(), path, "org.kde.StatusNotifierItem");
        let item = item.await.expect("a path");
        let menu: OwnedObjectPath = item.get_property("Menu").await.expect("it has a menu");
        let menu = Proxy::new(&self.bus, owner, menu, MENU).await.expect("a path");
        Icon { menu }
    }
}

impl Icon {
    /// Waits until an entry says this.
    pub(crate) async fn see(&self, words: &str) {
        until(&format!("the icon's menu says {words:?}"), async || self.entry(words).await).await;
    }

    pub(crate) async fn choose(&self, words: &str) {
        let what = format!("the icon's menu says {words:?}");
        let entry = until(&what, async || self.entry(words).await).await;
        let chosen = (entry, "clicked", Value::from(0), 0_u32);
        self.menu.call::<_, _, ()>("Event", &chosen).await.expect("it can be chosen");
    }

    async fn entry(&self, words: &str) -> Option<i32> {
        let asked = (0_i32, -1_i32, Vec::<String>::new());
        let (_, root): (u32, Entry) = self.menu.call("GetLayout", &asked).await.ok()?;
        let entries = root.2.into_iter().filter_map(|below| Entry::try_from(below).ok());
        let mut said = entries.filter_map(|(number, is, _)| {
            let label = String::try_from(is.get("label")?.try_clone().ok()?).ok()?;
            (label == words).then_some(number)
        });
        said.next()
    }
}
