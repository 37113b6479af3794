//! `coterie setting`: what a person can set for the whole workspace and that no other
//! command is about.

use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::table::table;
use clap::Args;
use domain::{Command as Order, Fault, Settings, SettingsPatch};
use serde::Serialize;
use serde_json::Value;

#[derive(Args)]
pub(crate) struct Setting {
    /// Which; without it all are shown
    name: Option<String>,
    /// What it is to be; without it nothing is changed
    value: Option<String>,
}

/// One of them: its name, where it stands among the settings, what it means, and what it
/// can be.
struct Known(&'static str, &'static [&'static str], &'static str, Can);

#[derive(Clone, Copy)]
enum Can {
    Switch,
    Number,
    Text,
    OneOf(&'static [&'static str]),
}

const ALL: &[Known] = &[
    Known("your-name", &["your_name"], "what agents call you", Can::Text),
    Known(
        "theme",
        &["appearance", "theme"],
        "of the window",
        Can::OneOf(&["system", "light", "dark"]),
    ),
    Known(
        "language",
        &["appearance", "language"],
        "of the window",
        Can::OneOf(&["system", "en", "zh"]),
    ),
    Known("high-contrast", &["appearance", "high_contrast"], "in the window", Can::Switch),
    Known(
        "zoom",
        &["appearance", "zoom_percent"],
        "how large everything in the window is, in percent",
        Can::Number,
    ),
    Known(
        "wait-minutes",
        &["approvals", "minutes"],
        "how long what you are asked waits",
        Can::Number,
    ),
    Known(
        "notices",
        &["approvals", "notifies"],
        "whether the system tells you that you are asked something",
        Can::Switch,
    ),
    Known(
        "trouble-notices",
        &["manners", "tells_trouble"],
        "whether the system tells you that a turn failed or an agent stopped",
        Can::Switch,
    ),
    Known(
        "stays",
        &["manners", "stays"],
        "whether agents stay at work when the window is closed",
        Can::Switch,
    ),
    Known(
        "memory-notices",
        &["memory", "notices"],
        "whether what you say of yourself is remembered",
        Can::Switch,
    ),
    Known(
        "memory-looks-back",
        &["memory", "looks_back"],
        "whether the fast model, once you have chosen one, looks back at conversations that rest",
        Can::Switch,
    ),
    Known(
        "memory-reminds",
        &["memory", "reminds"],
        "whether a turn is reminded of what fits it",
        Can::Switch,
    ),
    Known(
        "models-at-once",
        &["limits", "max_concurrent"],
        "calls of models at the same time",
        Can::Number,
    ),
    Known(
        "message-characters",
        &["limits", "message_characters"],
        "the longest message that is posted",
        Can::Number,
    ),
];

#[derive(Serialize)]
struct Stands {
    name: &'static str,
    value: Value,
    about: &'static str,
}

pub(crate) async fn run(session: &Session, setting: Setting) -> Result<(), Failure> {
    let settings = session.overview().await?.settings;
    let Some(name) = setting.name else {
        let all: Vec<Stands> = ALL.iter().map(|known| stands(known, &settings)).collect();
        session.screen.many(&all, |paint| list(&all, paint));
        return Ok(());
    };
    let Some(known) = ALL.iter().find(|known| known.0 == name) else {
        let fix = "coterie setting shows all that there are";
        return Err(Fault::not_found(format!("there is no setting {name}"), fix).into());
    };
    let settings = match setting.value {
        None => settings,
        Some(value) => {
            let patch = patch(known, &settings, &value)?;
            answered!(session.order(Order::ChangeSettings { patch }).await?, Settings)?
        }
    };
    let stands = stands(known, &settings);
    session.screen.one(&stands, |_| format!("{name} is {}", shown(&stands.value)));
    Ok(())
}

fn stands(known: &Known, settings: &Settings) -> Stands {
    let Known(name, path, about, _) = *known;
    let all = serde_json::to_value(settings).unwrap_or_default();
    let value = path.iter().fold(&all, |within, step| &within[*step]).clone();
    Stands { name, value, about }
}

/// The area that it belongs to, with this one changed.
fn patch(known: &Known, settings: &Settings, value: &str) -> Result<SettingsPatch, Fault> {
    let value = read(known, value)?;
    let all = serde_json::to_value(settings).unwrap_or_default();
    let patch = match known.1 {
        [area, field] => {
            let mut changed = all[*area].clone();
            changed[*field] = value.clone();
            serde_json::json!({ *area: changed })
        }
        path => serde_json::json!({ path.concat(): value }),
    };
    serde_json::from_value(patch).map_err(|_| cannot(known, &shown(&value)))
}

fn read(known: &Known, value: &str) -> Result<Value, Fault> {
    let read = match known.3 {
        Can::Switch => match value {
            "on" => Some(true.into()),
            "off" => Some(false.into()),
            _ => None,
        },
        Can::Number => value.parse::<u32>().ok().map(Value::from),
        Can::Text => Some(value.into()),
        Can::OneOf(all) => all.contains(&value).then(|| value.into()),
    };
    read.ok_or_else(|| cannot(known, value))
}

fn cannot(known: &Known, value: &str) -> Fault {
    let can = match known.3 {
        Can::Switch => "on or off".to_owned(),
        Can::Number => "a number".to_owned(),
        Can::Text => "a text".to_owned(),
        Can::OneOf(all) => format!("one of {}", all.join(", ")),
    };
    Fault::bad_input(format!("{} cannot be {value}", known.0), format!("give {can}"))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Bool(true) => "on".to_owned(),
        Value::Bool(false) => "off".to_owned(),
        Value::String(text) if text.is_empty() => "not set".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn list(all: &[Stands], paint: Paint) -> String {
    let row = |one: &Stands| [one.name.to_owned(), shown(&one.value), one.about.to_owned()];
    table(paint, ["setting", "is", "what it means"], all.iter().map(row).collect())
}
