//! Souls of another workspace: the same text under the same name is the same soul, another
//! text has another name here.
//!
//! The text comes as it is, so that it is known when it comes again.

use super::{Report, count};
use crate::shared::Shared;
use crate::souls::{is_stem, parse};
use domain::{Renamed, TakenKind};
use std::collections::{HashMap, HashSet};
use store::table::{agents, souls};
use store::{Read, StoreError};

#[derive(Default)]
pub(super) struct Souls {
    /// What each is called here, by what it is called there.
    here: HashMap<String, String>,
    /// With the text: files that are not there yet.
    pub new: Vec<(String, String)>,
    left_out: u32,
}

impl Souls {
    pub(super) fn of(shared: &Shared, from: &Read<'_>) -> Result<Souls, StoreError> {
        let living = agents::living(from)?;
        let worn: HashSet<&str> = living.iter().map(|agent| agent.soul.as_str()).collect();
        let mut all = Souls::default();
        for soul in souls::all(from)? {
            if soul.file_hash.is_none() && !worn.contains(soul.name.as_str()) {
                continue;
            }
            let in_force = souls::version(from, &soul.name, soul.version)?;
            let text = in_force.map(|version| version.text);
            match text.filter(|text| is_stem(&soul.name) && parse(&soul.name, text).is_ok()) {
                Some(text) => all.add(shared, soul.name, text),
                None => all.left_out += 1,
            }
        }
        Ok(all)
    }

    fn add(&mut self, shared: &Shared, name: String, text: String) {
        let numbered = (2..).map(|n| format!("{name}-{n}"));
        for candidate in std::iter::once(name.clone()).chain(numbered) {
            let comes = self.new.iter().find(|(soul, _)| *soul == candidate);
            let stands = comes.map(|(_, text)| text.clone()).or_else(|| here(shared, &candidate));
            match stands {
                Some(there) if there != text => {}
                Some(_) => {
                    self.here.insert(name, candidate);
                    return;
                }
                None => {
                    self.new.push((candidate.clone(), text));
                    self.here.insert(name, candidate);
                    return;
                }
            }
        }
    }

    /// What an agent wears here that wears this there.
    pub(super) fn called(&self, there: &str) -> String {
        self.here.get(there).cloned().unwrap_or_else(|| there.to_owned())
    }

    pub(super) fn is_new(&self, there: &str) -> bool {
        let here = self.here.get(there);
        here.is_some_and(|here| self.new.iter().any(|(soul, _)| soul == here))
    }

    pub(super) fn tell(&self, report: &mut Report) {
        if self.here.is_empty() && self.left_out == 0 {
            return;
        }
        let told = report.of(TakenKind::Soul);
        told.new = count(self.new.len());
        told.here = count(self.here.len()) - told.new;
        told.left_out = self.left_out;
        let others = self.here.iter().filter(|(there, here)| there != here && self.is_new(there));
        let mut renamed: Vec<Renamed> = others
            .map(|(there, here)| Renamed {
                what: TakenKind::Soul,
                from: there.clone(),
                to: here.clone(),
            })
            .collect();
        renamed.sort_by(|one, other| one.from.cmp(&other.from));
        report.renamed.extend(renamed);
    }
}

/// The text that stands here under the name; something else where its file cannot be in
/// force.
fn here(shared: &Shared, soul: &str) -> Option<String> {
    let in_force = shared.souls.in_force(soul).map(|soul| soul.text.clone());
    in_force.or_else(|| shared.souls.folder().file(soul).exists().then(String::new))
}
