//! `coterie doctor`: looks at everything, also where the workspace cannot be
//! opened.

use crate::arguments::Global;
use crate::environment;
use crate::screen::{Failure, Paint, Screen};
use crate::session::{Session, answered};
use crate::table::padded;
use crate::visible;
use domain::{Check, CheckState, Fault, FaultCode, Query};
use door::places::Found;
use std::path::Path;
use unicode_width::UnicodeWidthStr;

pub(crate) async fn run(global: &Global, screen: &Screen) -> Result<(), Failure> {
    let found = environment::find_places(global)?;
    let checked = match Session::open(global, screen).await {
        Ok(session) => {
            let checked =
                session.ask(Query::Doctor).await.and_then(|reply| answered!(reply, Checks));
            session.close().await;
            checked
        }
        Err(failure) => Err(failure.fault),
    };
    let checks = with_reasons(&found, checked.unwrap_or_else(|fault| vec![broken(fault)]));
    let broken = checks.iter().filter(|check| check.state == CheckState::Broken).count();
    if broken == 0 {
        screen.many(&checks, |paint| lines(&checks, paint));
        return Ok(());
    }
    if screen.is_plain() {
        screen.text(&lines(&checks, screen.paint));
    }
    let (message, fix) = match broken {
        1 => ("1 thing is broken".to_owned(), "it says above what to do"),
        _ => (format!("{broken} things are broken"), "each of them says above what to do"),
    };
    Err(Failure::found(Fault::new(FaultCode::Storage, message, fix), &checks))
}

/// Says of the places that this program works with why it is these, and adds
/// those that nobody has looked at.
fn with_reasons(found: &Found, mut checks: Vec<Check>) -> Vec<Check> {
    let places = [
        ("data directory", &found.places.data, found.data_because),
        ("assets", &found.places.assets, found.assets_because),
        ("engine", &found.places.engine, found.engine_because),
        ("keeper", &found.places.keeper, found.keeper_because),
    ];
    for (at, (name, path, because)) in places.into_iter().enumerate() {
        let shown = path.display().to_string();
        let tells = |check: &&mut Check| {
            check.name == name || check.name == WORKSPACE && check.detail.contains(&shown)
        };
        match checks.iter_mut().find(tells) {
            // Another process that has the workspace open may use another one.
            Some(check) if check.name == name && check.detail != shown => {}
            Some(check) => check.detail += &format!(" ({because})"),
            None => checks.insert(at, place(name, path, because)),
        }
    }
    checks
}

fn place(name: &str, path: &Path, because: &str) -> Check {
    let (state, missing, fix) = match path.exists() {
        true => (CheckState::Ok, "", ""),
        false => (CheckState::Degraded, " is missing", "install Coterie again, or run make assets"),
    };
    Check {
        name: name.to_owned(),
        state,
        detail: format!("{}{missing} ({because})", path.display()),
        fix: fix.to_owned(),
        kind: None,
    }
}

/// The check that stands for all others where it cannot be opened.
const WORKSPACE: &str = "workspace";

fn broken(fault: Fault) -> Check {
    Check {
        name: WORKSPACE.to_owned(),
        state: CheckState::Broken,
        detail: fault.message,
        fix: fault.fix,
        kind: None,
    }
}

fn lines(checks: &[Check], paint: Paint) -> String {
    let width = checks.iter().map(|check| check.name.width()).max().unwrap_or(0);
    let mut text = String::new();
    for check in checks {
        let state = match check.state {
            CheckState::Ok => paint.good("ok      "),
            CheckState::Degraded => paint.careful("degraded"),
            CheckState::Broken => paint.bad("broken  "),
        };
        let detail = visible::line(&check.detail);
        text += &format!("{state}  {}  {detail}\n", padded(&check.name, width));
        if !check.fix.is_empty() {
            text += &format!(
                "          {}  {}\n",
                padded("", width),
                paint.faint(&format!("→ {}", visible::line(&check.fix)))
            );
        }
    }
    text
}
