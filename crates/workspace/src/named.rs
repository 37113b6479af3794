//! What a soul names: tools, MCP servers, skills, and souls to give tasks to; and what of
//! that is not there.
//!
//! That is a warning and never an error: a server may be off, and what is named may come
//! later. It is looked up as things are at the moment, so each soul says it anew when one of
//! them comes or goes.

use crate::shared::Shared;
use crate::souls::front::fields;
use crate::souls::parse::{plain, split};
use crate::souls::policy::HIGH_RISK_TOOLS;
use crate::souls::yaml::{self, Field, Value};
use crate::souls::{self, nearest};
use crate::{letters, servers};
use domain::{CheckedSoul, Fault, Record, Soul, SoulMistake, SoulProblem, Update};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use store::table::souls as soul_table;

/// All that there is to be named.
pub(crate) struct Known {
    tools: BTreeSet<String>,
    servers: BTreeSet<String>,
    skills: BTreeSet<String>,
    /// By their files and by what their agents are called.
    souls: BTreeSet<String>,
}

/// What was said last to be missing, by soul.
#[derive(Default)]
pub(crate) struct Told(Mutex<BTreeMap<String, Vec<SoulProblem>>>);

/// All there is to say about a text; nothing is saved.
pub(crate) fn check(shared: &Shared, stem: &str, text: &str) -> Result<CheckedSoul, Fault> {
    let souls::Checked { errors, mut warnings } = souls::check(stem, text);
    warnings.extend(Known::of(shared)?.missing(text));
    in_order(&mut warnings);
    Ok(CheckedSoul { errors, warnings })
}

/// Publishes the souls of which something else is missing than was said last, and of those
/// just written each that lacks something: their records do not have it.
pub(crate) fn tell(shared: &Shared, written: &[String]) {
    let mut told = shared.named.0.lock().unwrap_or_else(PoisonError::into_inner);
    match news(shared, written, &mut told) {
        Ok(news) if news.is_empty() => {}
        Ok(news) => shared.events.publish(news),
        Err(fault) => tracing::warn!(%fault, "what souls name cannot be told"),
    }
}

fn news(
    shared: &Shared,
    written: &[String],
    told: &mut BTreeMap<String, Vec<SoulProblem>>,
) -> Result<Vec<Update>, Fault> {
    let known = Known::of(shared)?;
    let mut news = Vec::new();
    for soul in shared.store.read(soul_table::all)? {
        let missing = known.missing_of(shared, &soul.name);
        let is_unsaid = written.contains(&soul.name) && !missing.is_empty();
        let before = told.insert(soul.name.clone(), missing.clone()).unwrap_or_default();
        if is_unsaid || before != missing {
            news.push(Update::Saved { record: Record::Soul(with(soul, missing)) });
        }
    }
    Ok(news)
}

impl Known {
    /// Reads the store, so it is not for within a read.
    pub(crate) fn of(shared: &Shared) -> Result<Known, Fault> {
        let servers = servers::all(shared)?;
        let mut tools: BTreeSet<String> =
            shared.tools().specs().map(|spec| spec.name.clone()).collect();
        // A server that is off or asleep has what it had.
        let brought = servers.iter().flat_map(|server| &server.tools);
        tools.extend(brought.map(|tool| tool.offered_as.clone()));
        let in_force = shared.souls.all_in_force();
        let named = in_force.iter().flat_map(|soul| [soul.stem.clone(), soul.front.name.clone()]);
        Ok(Known {
            tools,
            servers: servers.into_iter().map(|server| server.setup.name).collect(),
            skills: shared.skills.names(),
            souls: named.collect(),
        })
    }

    /// A soul with a warning for each name of nothing in the text that is in force.
    pub(crate) fn looked_up(&self, shared: &Shared, soul: Soul) -> Soul {
        let missing = self.missing_of(shared, &soul.name);
        with(soul, missing)
    }

    fn missing_of(&self, shared: &Shared, stem: &str) -> Vec<SoulProblem> {
        let in_force = shared.souls.in_force(stem);
        in_force.map(|soul| self.missing(&soul.text)).unwrap_or_default()
    }

    /// Each where it stands. Of a text that cannot be read nothing is said here.
    fn missing(&self, text: &str) -> Vec<SoulProblem> {
        let parts = plain(text).and_then(split);
        let fields = parts.and_then(|parts| yaml::read(parts.yaml, 1)).and_then(fields);
        fields.unwrap_or_default().iter().flat_map(|field| self.missing_in(field)).collect()
    }

    fn missing_in(&self, field: &Field) -> Vec<SoulProblem> {
        let items = match &field.node.value {
            Value::List(items) => items,
            Value::Map(settings) if field.key == "policy" => {
                return settings.iter().flat_map(|setting| self.missing_in(setting)).collect();
            }
            Value::Map(_) | Value::Nothing | Value::Truth(_) => return Vec::new(),
            Value::Number { .. } | Value::Text(_) => return Vec::new(),
        };
        let look_up: fn(&Known, String) -> Option<SoulMistake> = match field.key.as_str() {
            "tools" => Known::tool,
            HIGH_RISK_TOOLS => Known::asked_about,
            "mcp" => Known::server,
            "skills" => Known::skill,
            "delegates" => Known::delegate,
            _ => return Vec::new(),
        };
        let missing = items.iter().filter_map(|item| match &item.value {
            Value::Text(name) if !name.trim().is_empty() => {
                let mistake = look_up(self, name.trim().to_owned())?;
                Some(item.place.problem(mistake))
            }
            Value::Text(_) | Value::Nothing | Value::Truth(_) => None,
            Value::Number { .. } | Value::List(_) | Value::Map(_) => None,
        });
        missing.collect()
    }

    fn tool(&self, name: String) -> Option<SoulMistake> {
        if matches!(name.as_str(), "*" | "none") || self.tools.contains(&name) {
            return None;
        }
        let close = near(&name, &self.tools);
        let server = servers::server_of(&name).map(str::to_owned);
        Some(match server {
            Some(server) => SoulMistake::ToolNotNow { name, server, close },
            None => SoulMistake::ToolMissing { name, close },
        })
    }

    /// A pattern is for those that there may be.
    fn asked_about(&self, name: String) -> Option<SoulMistake> {
        if name.contains('*') { None } else { self.tool(name) }
    }

    fn server(&self, name: String) -> Option<SoulMistake> {
        if name == "*" || self.servers.contains(&name) {
            return None;
        }
        let close = near(&name, &self.servers);
        Some(SoulMistake::ServerMissing { name, close })
    }

    fn skill(&self, name: String) -> Option<SoulMistake> {
        if self.skills.contains(&name) {
            return None;
        }
        let close = near(&name, &self.skills);
        Some(SoulMistake::SkillMissing { name, close })
    }

    fn delegate(&self, name: String) -> Option<SoulMistake> {
        if self.souls.iter().any(|soul| letters::same(soul, &name)) {
            return None;
        }
        let close = near(&name, &self.souls);
        Some(SoulMistake::DelegateMissing { name, close })
    }
}

fn near(name: &str, known: &BTreeSet<String>) -> Option<String> {
    nearest(name, known.iter().map(String::as_str))
}

fn with(mut soul: Soul, missing: Vec<SoulProblem>) -> Soul {
    soul.warnings.extend(missing);
    in_order(&mut soul.warnings);
    soul
}

fn in_order(warnings: &mut [SoulProblem]) {
    warnings.sort_by_key(|warning| (warning.line, warning.column));
}

#[cfg(test)]
mod tests;
