//! Souls of another workspace: the same text under the same name is the same soul, another
//! text has another name here.
//!
//! The text comes as it is, so that it is known when it comes again.

use super::count;
use super::report::Report;
use crate::shared::Shared;
use crate::souls::{hash, is_stem, parse};
use domain::{Renamed, StaysOutWhy, TakenKind};
use std::collections::{HashMap, HashSet};
use store::table::{agents, souls};
use store::{Read, StoreError};

#[derive(Default)]
pub(super) struct Souls {
    /// What each is called here, by what it is called there.
    here: HashMap<String, String>,
    /// With the text: files that are not there yet.
    pub new: Vec<(String, String)>,
}

impl Souls {
    pub(super) fn of(
        shared: &Shared,
        here: &Read<'_>,
        from: &Read<'_>,
        report: &mut Report,
    ) -> Result<Souls, StoreError> {
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
                Some(text) => all.add(shared, here, soul.name, text)?,
                None => {
                    let (what, why) = (TakenKind::Soul, StaysOutWhy::Unreadable);
                    report.leaves_out(what, why, 1, Some(&soul.name));
                }
            }
        }
        all.tell(report);
        Ok(all)
    }

    fn add(
        &mut self,
        shared: &Shared,
        here: &Read<'_>,
        name: String,
        text: String,
    ) -> Result<(), StoreError> {
        let numbered = (2..).map(|n| format!("{name}-{n}"));
        for candidate in std::iter::once(name.clone()).chain(numbered) {
            let comes = self.new.iter().find(|(soul, _)| *soul == candidate);
            let stands =
                comes.map(|(_, text)| text.clone()).or_else(|| in_force(shared, &candidate));
            match stands {
                // What it was before it was changed here is this soul too.
                Some(there) if there != text && !was(here, &candidate, &text)? => {}
                Some(_) => {
                    self.here.insert(name, candidate);
                    return Ok(());
                }
                None => {
                    self.new.push((candidate.clone(), text));
                    self.here.insert(name, candidate);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// What an agent wears here that wears this there.
    pub(super) fn called(&self, there: &str) -> String {
        self.here.get(there).cloned().unwrap_or_else(|| there.to_owned())
    }

    pub(super) fn is_new(&self, there: &str) -> bool {
        let here = self.here.get(there);
        here.is_some_and(|here| self.new.iter().any(|(soul, _)| soul == here))
    }

    fn tell(&self, report: &mut Report) {
        report.comes(TakenKind::Soul, count(self.new.len()));
        report.is_here(TakenKind::Soul, count(self.here.len() - self.new.len()));
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

fn was(here: &Read<'_>, soul: &str, text: &str) -> Result<bool, StoreError> {
    let hash = hash(text);
    Ok(souls::versions(here, soul)?.iter().any(|version| version.hash == hash))
}

/// The text that stands here under the name; something else where its file cannot be in
/// force.
fn in_force(shared: &Shared, soul: &str) -> Option<String> {
    let in_force = shared.souls.in_force(soul).map(|soul| soul.text.clone());
    in_force.or_else(|| shared.souls.folder().file(soul).exists().then(String::new))
}
