//! What a person does in Coterie's window, and what they see there.
//!
//! Everything is found by the `data-testid` that the pages give it, and every
//! look waits until there is something to see.

use crate::driver::{Element, Session};
use crate::machine::Running;
use crate::until::until;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};
use std::path::PathBuf;

pub(crate) struct Window {
    session: Session,
    driver: Running,
}

/// Keys without a letter, in the protocol's private code points.
pub(crate) mod key {
    pub(crate) const TAB: char = '\u{E004}';
    pub(crate) const ENTER: char = '\u{E007}';
    pub(crate) const ESCAPE: char = '\u{E00C}';
    pub(crate) const CONTROL: char = '\u{E009}';
    pub(crate) const UP: char = '\u{E013}';
    pub(crate) const DOWN: char = '\u{E015}';
    pub(crate) const PAGE_UP: char = '\u{E00E}';
    pub(crate) const PAGE_DOWN: char = '\u{E00F}';
    pub(crate) const END: char = '\u{E010}';
    pub(crate) const HOME: char = '\u{E011}';
}

/// Smaller than any page of ours, larger than a blank one.
const BLANK_BYTES: usize = 12_000;

/// Changes a dot that nobody can see; returns when the page has been drawn.
const KEEP_DRAWING: &str = "const dot = document.body.appendChild(document.createElement('i'));
    dot.style.cssText = 'position: fixed; right: 0; bottom: 0; width: 1px; height: 1px';
    const change = setInterval(() => (dot.style.background = dot.style.background ? '' : '#00000001'), 20);
    window.stopDrawing = () => { clearInterval(change); dot.remove(); };
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

/// A testid, with whatever else tells it from others: `roster-agent[data-name="Ada"]`.
pub(crate) fn id(testid: &str) -> String {
    let end = testid.find(['[', ' ']).unwrap_or(testid.len());
    let (name, more) = testid.split_at(end);
    format!("[data-testid=\"{name}\"]{more}")
}

pub(crate) fn agent(name: &str) -> String {
    id(&format!("roster-agent[data-name=\"{name}\"]"))
}

pub(crate) fn group(name: &str) -> String {
    id(&format!("roster-group[data-name=\"{name}\"]"))
}

pub(crate) fn member(name: &str) -> String {
    id(&format!("member[data-name=\"{name}\"]"))
}

impl Window {
    pub(crate) fn new(session: Session, driver: Running) -> Window {
        Window { session, driver }
    }

    // Looking.

    pub(crate) async fn see(&self, css: &str) -> Element {
        until(&format!("{css} is there"), async || self.session.find(css).await.ok()?).await
    }

    pub(crate) async fn see_gone(&self, css: &str) {
        until(&format!("{css} is gone"), async || {
            self.session.find(css).await.ok()?.is_none().then_some(())
        })
        .await;
    }

    /// Waits until the text of the first such element contains this; gives all of it.
    pub(crate) async fn see_text(&self, css: &str, part: &str) -> String {
        until(&format!("{css} says {part:?}"), async || {
            self.texts(css).await.into_iter().find(|text| text.contains(part))
        })
        .await
    }

    /// The texts of all such elements, as they are now.
    pub(crate) async fn texts(&self, css: &str) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText)";
        let texts = self.run(script, &[css.into()]).await;
        serde_json::from_value(texts).expect("a list of texts")
    }

    /// What the elements stand for: their `data-name`s.
    pub(crate) async fn names(&self, css: &str) -> Vec<String> {
        self.see(css).await;
        let script =
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.dataset.name)";
        let names = self.run(script, &[css.into()]).await;
        serde_json::from_value(names).expect("a list of names")
    }

    /// `Ada: hello` for each complete message on the screen, in order.
    pub(crate) async fn messages(&self) -> Vec<String> {
        let script = "return [...document.querySelectorAll('[data-testid=message]')].map((one) =>
            `${one.dataset.author}: ${one.querySelector('[data-testid=body]')?.innerText.trim()}`)";
        serde_json::from_value(self.run(script, &[]).await).expect("a list of texts")
    }

    pub(crate) async fn see_message(&self, message: &str) {
        let mut seen = Vec::new();
        let what = format!("the message {message:?}");
        until(&what, async || {
            seen = self.messages().await;
            seen.iter().any(|one| one == message).then_some(())
        })
        .await;
    }

    /// The value of something that the page computes.
    pub(crate) async fn run(&self, script: &str, arguments: &[Value]) -> Value {
        self.session.run(script, arguments).await.expect("the script runs")
    }

    /// Keeps the page as `artifacts/screenshots/NAME.png`.
    pub(crate) async fn keep_picture(&self, name: &str) {
        // A picture shows what was drawn, which may be older than what is there,
        // and it is taken at the next drawing, to which a still page never comes.
        self.run(KEEP_DRAWING, &[]).await;
        let picture = self.session.screenshot().await.expect("a picture");
        self.run("window.stopDrawing()", &[]).await;
        keep(name, &picture);
        assert!(picture.len() > BLANK_BYTES, "the window is blank: {name}");
    }

    // Doing.

    pub(crate) async fn click(&self, css: &str) {
        until(&format!("{css} can be clicked"), async || {
            let element = self.session.find(css).await.ok()??;
            self.session.click(&element).await.ok()
        })
        .await;
    }

    /// Clicks the one whose text contains this.
    pub(crate) async fn click_text(&self, css: &str, text: &str) {
        let mark = "for (const one of document.querySelectorAll('[data-picked]')) delete one.dataset.picked;
            const found = [...document.querySelectorAll(arguments[0])].find((one) => one.innerText.includes(arguments[1]));
            if (found) found.dataset.picked = '';
            return Boolean(found)";
        until(&format!("{css} with {text:?} can be clicked"), async || {
            let found = self.run(mark, &[css.into(), text.into()]).await;
            (found == Value::Bool(true)).then_some(())?;
            let element = self.session.find("[data-picked]").await.ok()??;
            self.session.click(&element).await.ok()
        })
        .await;
    }

    /// Opens a list and takes one of its options.
    pub(crate) async fn choose(&self, list: &str, option: &str) {
        self.click(list).await;
        self.click_text("[role=option]", option).await;
        self.see_gone("[role=listbox]").await;
    }

    pub(crate) async fn write(&self, css: &str, text: &str) {
        let element = self.see(css).await;
        self.session.keys(&element, text).await.expect("it can be typed into");
    }

    /// Takes out what is written in a field.
    pub(crate) async fn empty(&self, css: &str) {
        self.focus(css).await;
        let empty = "const field = document.querySelector(arguments[0]);
            field.value = '';
            field.dispatchEvent(new Event('input', {bubbles: true}))";
        self.run(empty, &[css.into()]).await;
    }

    /// Writes a message and sends it with Enter.
    pub(crate) async fn say(&self, text: &str) {
        self.write(&id("composer"), &format!("{text}{}", key::ENTER)).await;
    }

    /// Presses keys, one after the other, wherever the focus is.
    pub(crate) async fn press(&self, keys: &[char]) {
        let strokes: Vec<Value> = keys
            .iter()
            .flat_map(|key| {
                [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})]
            })
            .collect();
        self.act(json!([{"type": "key", "id": "keyboard", "actions": strokes}])).await;
    }

    /// Presses a key while Ctrl is held.
    pub(crate) async fn press_with_control(&self, letter: char) {
        let strokes = json!([
            {"type": "keyDown", "value": key::CONTROL}, {"type": "keyDown", "value": letter},
            {"type": "keyUp", "value": letter}, {"type": "keyUp", "value": key::CONTROL},
        ]);
        self.act(json!([{"type": "key", "id": "keyboard", "actions": strokes}])).await;
    }

    pub(crate) async fn focus(&self, css: &str) {
        self.see(css).await;
        self.run("document.querySelector(arguments[0]).focus()", &[css.into()]).await;
    }

    /// Moves the pointer there.
    pub(crate) async fn point_at(&self, css: &str) {
        let middle = self.middle_of(css).await;
        self.act(pointer(&[move_to(middle)])).await;
    }

    /// Picks something up with the pointer and holds it over something else.
    pub(crate) async fn carry(&self, from: &str, over: &str) {
        let (from, over) = (self.middle_of(from).await, self.middle_of(over).await);
        let half = ((from.0 + over.0) / 2, (from.1 + over.1) / 2);
        self.act(pointer(&[
            move_to(from),
            json!({"type": "pointerDown", "button": 0}),
            move_to((from.0 + 6, from.1 + 3)),
            move_to(half),
            move_to(over),
        ]))
        .await;
    }

    pub(crate) async fn drop_here(&self) {
        self.act(pointer(&[json!({"type": "pointerUp", "button": 0})])).await;
    }

    pub(crate) async fn drag(&self, from: &str, onto: &str) {
        self.carry(from, onto).await;
        self.drop_here().await;
    }

    pub(crate) async fn resize(&self, width: u32, height: u32) {
        self.session.resize(width, height).await.expect("the window takes the size");
    }

    /// Asks the program to end, and waits until it has put everything away.
    pub(crate) async fn close(self) {
        let program = self.program();
        kill_process(program, Signal::TERM).expect("it runs");
        has_ended(program).await;
    }

    /// Waits until the program has ended by itself.
    pub(crate) async fn see_end(self, program: Pid) {
        has_ended(program).await;
    }

    pub(crate) fn program(&self) -> Pid {
        *self.driver.children().first().expect("the driver started the program")
    }

    async fn middle_of(&self, css: &str) -> (i64, i64) {
        self.see(css).await;
        let script = "const box = document.querySelector(arguments[0]).getBoundingClientRect();
            return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]";
        serde_json::from_value(self.run(script, &[css.into()]).await).expect("a point")
    }

    async fn act(&self, devices: Value) {
        self.session.actions(devices).await.expect("the actions are done");
    }
}

async fn has_ended(program: Pid) {
    until("the program ends", async || test_kill_process(program).err().map(drop)).await;
}

/// A window that is left in a panic shows what it looked like.
impl Drop for Window {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let story = std::thread::current().name().unwrap_or("story").replace("::", "-");
        // The story's own runtime is not to be waited in any more.
        let picture = std::thread::scope(|scope| {
            let taken = scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
                runtime.block_on(async {
                    let session = self.session.again()?;
                    session.run(KEEP_DRAWING, &[]).await?;
                    session.screenshot().await
                })
            });
            taken.join()
        });
        if let Ok(Ok(picture)) = picture {
            keep(&format!("failed-{story}"), &picture);
        }
    }
}

fn pointer(actions: &[Value]) -> Value {
    json!([{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}])
}

fn move_to((x, y): (i64, i64)) -> Value {
    json!({"type": "pointerMove", "duration": 60, "x": x, "y": y})
}

fn keep(name: &str, picture: &[u8]) {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../artifacts/screenshots"));
    std::fs::create_dir_all(&folder).expect("a folder for pictures");
    std::fs::write(folder.join(format!("{name}.png")), picture).expect("a picture is kept");
}
