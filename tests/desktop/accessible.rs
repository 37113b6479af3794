//! What the window is to somebody who hears it, or uses no pointer: axe looks at
//! every page, in light and in dark, and finds nothing serious.

use crate::machine::Machine;
use crate::seed::seed;
use crate::window::{Window, group, id, key};
use domain::Theme;
use domain::{
    Appearance, Call, Command, Language, MemoryKind, MemoryScope, NewMemory, SettingsPatch,
};
use serde_json::json;
use std::path::Path;
use tests::mcp_server::obedient;

/// The rules of WCAG 2.2 AA, and what screen readers are used to beside them.
const LOOK: &str = "const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    // What fades in has its colours when it is there.
    const appears = document.getAnimations().filter(({effect}) => effect.getComputedTiming().endTime < 1000);
    return Promise.allSettled(appears.map(({finished}) => finished)).then(() =>
        axe.run(document, {resultTypes: ['violations'], runOnly: tags})).then(({violations}) => violations
        .filter(({impact}) => impact === 'serious' || impact === 'critical')
        .flatMap(({id, help, nodes}) => nodes.map((node) => `${id} (${help}): ${node.target.join(' ')} ${node.html.slice(0, 160)}`)))";

const SECTIONS: [&str; 11] = [
    "models",
    "keys",
    "you",
    "appearance",
    "desktop",
    "grants",
    "skills",
    "servers",
    "limits",
    "budgets",
    "data",
];

#[tokio::test]
async fn axe_finds_nothing_serious_on_any_page_in_light_and_dark() {
    let table = "| day | what |\n|---|---|\n| Mon | read |\n\n```rust\nfn main() {}\n```\n\nSee `notes.md` and $a^2$.";
    let choice = json!({"question": "Which tea?", "choices": ["green", "black"]});
    let seed = seed()
        .asking("make tea", choice)
        .answer("the plan", table)
        .answer("shade", "Ferns like it there.")
        .server(obedient("things", &["plain"]));
    let machine = Machine::seeded(seed).await;
    let window = machine.open_window().await;
    window.say("@Bo what is the plan?").await;
    window.see(".md-code").await;
    window.say("@Ada make tea").await;
    window.see(&id("question-card")).await;
    let memory = NewMemory {
        kind: MemoryKind::Fact,
        scope: MemoryScope::User,
        text: "Tea is at four".into(),
        statement: None,
        tags: vec!["tea".into()],
        importance: None,
        valid_from_ms: None,
        valid_to_ms: None,
    };
    machine.ask(Call::Command(Command::AddMemory { memory })).await;
    window.click(&id("rail-feed")).await;
    window.write(&id("feed-write"), "What would you plant in the shade?").await;
    window.click(&id("feed-post")).await;
    window.see(&id("feed-row")).await;

    let axe = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/node_modules/axe-core/axe.min.js");
    let axe = std::fs::read_to_string(axe).expect("`npm ci` was run in ui");
    window.run(&format!("{axe}; window.axe = axe"), &[]).await;
    let mut wrong = Vec::new();
    for (look, theme, high_contrast) in [
        ("light", Theme::Light, false),
        ("dark", Theme::Dark, false),
        ("high contrast", Theme::Light, true),
    ] {
        let appearance =
            Appearance { theme, language: Language::En, high_contrast, ..Appearance::default() };
        let patch = SettingsPatch { appearance: Some(appearance), ..SettingsPatch::default() };
        machine.ask(Call::Command(Command::ChangeSettings { patch })).await;
        let drawn = if theme == Theme::Dark { "dark" } else { "light" };
        window.see(&format!("html[data-theme={drawn}]")).await;
        every_page(&window, look, &mut wrong).await;
    }
    assert!(wrong.is_empty(), "{} things are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Goes through the window as a person would, and notes what axe says of each page.
async fn every_page(window: &Window, look: &str, wrong: &mut Vec<String>) {
    let mut looked = async |page: &str| {
        let found = window.run(LOOK, &[]).await;
        let found: Vec<String> = serde_json::from_value(found).expect("a list of sentences");
        wrong.extend(found.iter().map(|one| format!("{look}, {page}: {one}")));
    };
    let open = async |page: &str| {
        window.click(&id(&format!("rail-{page}"))).await;
        window.see(&id(&format!("page-{page}"))).await;
    };
    open("conversations").await;
    window.click(&group("First group")).await;
    window.see(&id("question-card")).await;
    looked("conversation").await;
    for (typed, list) in [("/", "command-list"), ("@", "mention-list")] {
        window.write(&id("composer"), typed).await;
        window.see(&id(list)).await;
        looked(list).await;
        window.empty(&id("composer")).await;
        window.see_gone(&id(list)).await;
    }
    window.click(&id("new-group")).await;
    window.see(&id("new-group-dialog")).await;
    looked("dialog").await;
    window.press(&[key::ESCAPE]).await;
    window.see_gone(&id("new-group-dialog")).await;
    window.click(&id("rail-search")).await;
    window.see(&id("palette")).await;
    looked("palette").await;
    window.press(&[key::ESCAPE]).await;
    window.see_gone(&id("palette")).await;
    open("feed").await;
    window.click(&id("feed-row")).await;
    window.see(&id("feed-why")).await;
    looked("feed").await;
    open("schedules").await;
    looked("schedules").await;
    window.click(&id("schedule-new")).await;
    window.see(&id("schedule-dialog")).await;
    looked("schedule dialog").await;
    window.press(&[key::ESCAPE]).await;
    window.see_gone(&id("schedule-dialog")).await;
    for page in ["fleet", "memory", "approvals"] {
        open(page).await;
        looked(page).await;
    }
    open("souls").await;
    window.click(&id("soul-row[data-name=\"ada\"]")).await;
    window.see_text(&id("soul-prompt"), "Ada").await;
    looked("soul").await;
    open("runs").await;
    looked("runs").await;
    window.click(&id("run-row td")).await;
    window.see(&id("run-detail")).await;
    looked("run").await;
    open("settings").await;
    for section in SECTIONS {
        window.click(&id(&format!("settings-{section}"))).await;
        window.see(&id(&format!("settings-{section}[aria-current=page]"))).await;
        looked(section).await;
    }
}

#[tokio::test]
async fn every_page_is_reached_by_keys_and_a_dialog_holds_the_focus_and_gives_it_back() {
    let machine = Machine::seeded(seed()).await;
    let window = machine.open_window().await;
    window.focus(&id("rail-conversations")).await;
    for page in ["feed", "schedules", "fleet", "memory", "souls", "runs", "approvals"] {
        window.press(&[key::DOWN, key::ENTER]).await;
        window.see(&id(&format!("page-{page}"))).await;
        window.see(&format!("{}:focus", id(&format!("rail-{page}")))).await;
    }
    // Past the button that searches.
    window.press(&[key::DOWN, key::DOWN, key::ENTER]).await;
    window.see(&id("page-settings")).await;
    window.click(&id("rail-conversations")).await;

    window.focus(&id("new-group")).await;
    window.press(&[key::ENTER]).await;
    window.see(&id("new-group-dialog")).await;
    let inside =
        format!("return Boolean(document.activeElement.closest('{}'))", id("new-group-dialog"));
    for stroke in 0..16 {
        window.press(&[key::TAB]).await;
        assert_eq!(window.run(&inside, &[]).await, true, "the focus left at stroke {stroke}");
    }
    window.press(&[key::ESCAPE]).await;
    window.see_gone(&id("new-group-dialog")).await;
    window.see(&format!("{}:focus", id("new-group"))).await;
}
