//! What is on a machine's screen, as its window manager sees it. Knows no Coterie but its name.

use crate::until::until;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ClientMessageEvent, ConfigureWindowAux, ConnectionExt, EventMask, MapState, Window,
};
use x11rb::rust_connection::RustConnection;

/// GTK keeps smaller windows for itself that nobody sees.
const LEAST_WIDTH: u16 = 200;

pub(crate) struct Screen {
    to: RustConnection,
    root: Window,
}

impl Screen {
    pub(crate) fn of(display: &str) -> Screen {
        let (to, number) = x11rb::connect(Some(display)).expect("the screen is there");
        let root = to.setup().roots[number].root;
        Screen { to, root }
    }

    pub(crate) async fn see_window(&self) -> Window {
        until("a window of Coterie's is shown", async || self.shown()).await
    }

    pub(crate) async fn see_no_window(&self) {
        until("no window of Coterie's is shown", async || self.shown().is_none().then_some(()))
            .await;
    }

    /// The window of Coterie's that is shown, if one is.
    pub(crate) fn shown(&self) -> Option<Window> {
        let all = self.to.query_tree(self.root).ok()?.reply().ok()?.children;
        all.into_iter().find(|window| self.is_ours(*window).unwrap_or(false))
    }

    /// From the left and the top, and how large.
    pub(crate) fn place(&self, window: Window) -> (i16, i16, u16, u16) {
        let place =
            self.to.get_geometry(window).expect("sent").reply().expect("the window is there");
        (place.x, place.y, place.width, place.height)
    }

    pub(crate) fn put(&self, window: Window, x: i32, y: i32, width: u32, height: u32) {
        let place = ConfigureWindowAux::new().x(x).y(y).width(width).height(height);
        self.to.configure_window(window, &place).expect("sent").check().expect("it is put there");
    }

    /// Asks the window to close, as a click on its cross does.
    pub(crate) fn close(&self, window: Window) {
        let (protocols, delete) = (self.atom("WM_PROTOCOLS"), self.atom("WM_DELETE_WINDOW"));
        let asks = ClientMessageEvent::new(32, window, protocols, [delete, 0, 0, 0, 0]);
        let sent = self.to.send_event(false, window, EventMask::NO_EVENT, asks).expect("sent");
        sent.check().expect("the window is there");
    }

    fn is_ours(&self, window: Window) -> Option<bool> {
        let kept = AtomEnum::WM_CLASS;
        let class = self.to.get_property(false, window, kept, AtomEnum::STRING, 0, 64).ok()?;
        let class = class.reply().ok()?.value;
        let is_coterie = String::from_utf8_lossy(&class).to_lowercase().contains("coterie");
        let state = self.to.get_window_attributes(window).ok()?.reply().ok()?.map_state;
        let width = self.to.get_geometry(window).ok()?.reply().ok()?.width;
        Some(is_coterie && state == MapState::VIEWABLE && width >= LEAST_WIDTH)
    }

    fn atom(&self, name: &str) -> u32 {
        let asked = self.to.intern_atom(false, name.as_bytes()).expect("sent");
        asked.reply().expect("it has a number").atom
    }
}
