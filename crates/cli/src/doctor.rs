//! `coterie doctor`: looks at everything, also where the workspace cannot be
//! opened.

use crate::arguments::Global;
use crate::environment;
use crate::screen::{Failure, Paint, Screen};
use crate::session::{Session, answered};
use crate::table::padded;
use domain::{Check, CheckState, Fault, FaultCode, Query};
use door::places::Found;
use std::path::Path;
use unicode_width::UnicodeWidthStr;

pub(crate) async fn run(global: &Global, screen: &Screen) -> Result<(), Failure> {
    let mut checks = chosen(&environment::find_places(global)?);
    match Session::open(global, screen).await {
        Ok(session) => {
            let checked =
                session.ask(Query::Doctor).await.and_then(|reply| answered!(reply, Checks));
            session.close().await;
            match checked {
                Ok(more) => checks.extend(more),
                Err(fault) => checks.push(broken(fault)),
            }
        }
        Err(failure) => checks.push(broken(failure.fault)),
    }
    let broken = checks.iter().filter(|check| check.state == CheckState::Broken).count();
    if broken == 0 {
        screen.many(&checks, |paint| lines(&checks, paint));
        return Ok(());
    }
    if screen.is_plain() {
        screen.text(&lines(&checks, screen.paint));
    }
    let message = if broken == 1 {
        "1 thing is broken".to_owned()
    } else {
        format!("{broken} things are broken")
    };
    let fix = "each of them says above what to do";
    Err(Failure::found(Fault::new(FaultCode::Storage, message, fix), &checks))
}

/// Which folders this program works with, and why these.
fn chosen(found: &Found) -> Vec<Check> {
    let check = |name: &str, path: &Path, because: &str| Check {
        name: name.to_owned(),
        state: CheckState::Ok,
        detail: format!("{} ({because})", path.display()),
        fix: String::new(),
    };
    vec![
        check("chosen data folder", &found.places.data, found.data_because),
        check("chosen assets", &found.places.assets, found.assets_because),
        check("chosen engine", &found.places.engine, found.engine_because),
    ]
}

fn broken(fault: Fault) -> Check {
    Check {
        name: "workspace".to_owned(),
        state: CheckState::Broken,
        detail: fault.message,
        fix: fault.fix,
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
        text += &format!("{state}  {}  {}\n", padded(&check.name, width), check.detail);
        if !check.fix.is_empty() {
            text += &format!(
                "          {}  {}\n",
                padded("", width),
                paint.faint(&format!("→ {}", check.fix))
            );
        }
    }
    text
}
