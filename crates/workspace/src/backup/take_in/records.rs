//! Writes down who and what came in, in one transaction.

use super::chosen::Chosen;
use super::report::Report;
use super::said;
use super::souls::Souls;
use crate::memory::{self, OfWorkspace, Wanted};
use crate::shared::Shared;
use crate::{groups, keeper, letters, lifecycle, limits, states};
use domain::{
    Agent, AgentId, AgentState, Author, Community, Fault, FeedSource, Group, GroupKind, Pass,
    PassRights, TakenKind,
};
use store::table::{agents, communities, feed_sources, groups as group_table, happenings, passes};
use store::{Read, StoreError, Write};

pub(super) struct Records<'a> {
    pub shared: &'a Shared,
    pub from: &'a Read<'a>,
    pub souls: &'a Souls,
    pub chosen: &'a Chosen,
    /// What was said need not be written down to be given up again.
    pub preview: bool,
}

impl Records<'_> {
    /// Gives the agents that live.
    pub(super) fn enter(
        &self,
        write: &mut Write<'_>,
        wanted: &Wanted,
        report: &mut Report,
    ) -> Result<Vec<AgentId>, Fault> {
        let news = happenings::last(write)?;
        let living = self.enter_agents(write, report)?;
        for author in &self.chosen.authors {
            self.enter_name(write, *author)?;
        }
        for community in &self.chosen.communities {
            enter_community(write, community, report)?;
        }
        for group in &self.chosen.groups {
            enter_group(write, group, report)?;
        }
        if !self.preview {
            said::enter(write, self.from, self.shared, self.chosen)?;
        }
        let memories = &self.chosen.memories;
        if !memories.is_empty() {
            let came = memory::enter_of_workspace(write, self.shared, wanted, self.from, memories)?;
            let OfWorkspace { added, there, vouched, contested, left_out, gave_way } = came;
            report.comes(TakenKind::Memory, added);
            report.is_here(TakenKind::Memory, there);
            for (why, text) in left_out {
                report.leaves_out(TakenKind::Memory, why, 1, text.as_deref());
            }
            (report.vouched, report.contested) = (vouched, contested);
            report.gave_way = gave_way;
        }
        // What contradicts something was known there, and is told nobody in the feed.
        happenings::take_back(write, news)?;
        // Nor is it learned anew what a person said there.
        memory::begin_to_notice(write)?;
        Ok(living)
    }

    /// They rest, whatever they were at there.
    fn enter_agents(
        &self,
        write: &mut Write<'_>,
        report: &mut Report,
    ) -> Result<Vec<AgentId>, StoreError> {
        let now = self.shared.now_ms();
        let mut living = Vec::new();
        for there in &self.chosen.agents {
            let lives = there.state != AgentState::Terminated;
            let mut agent = Agent {
                soul: self.souls.called(&there.soul),
                soul_version: 0,
                // Who serves it there serves nothing here.
                model: None,
                parent: known(write, there.parent)?,
                state: if lives { AgentState::Paused } else { AgentState::Terminated },
                problem: None,
                ..there.clone()
            };
            if lives {
                agent.name = lifecycle::name_here(write, &there.name)?;
                living.push(agent.id);
            }
            if let Some(soul) = self.shared.souls.in_force(&agent.soul) {
                keeper::dress(&mut agent, &soul);
            }
            report.named(TakenKind::Agent, &there.name, &agent.name);
            states::begin(write, &agent, now)?;
        }
        Ok(living)
    }

    /// Of a program or a source only the name comes, for what it said: it may do nothing.
    fn enter_name(&self, write: &mut Write<'_>, author: Author) -> Result<(), StoreError> {
        let now = self.shared.now_ms();
        match author {
            Author::Outside(id) if passes::find(write, id)?.is_none() => {
                let Some(pass) = passes::find(self.from, id)? else { return Ok(()) };
                let [reads, says] = [const { Vec::new() }; 2];
                let rights = PassRights { reads, says, memory: Vec::new(), ..pass.rights };
                let revoked_ms = Some(pass.revoked_ms.unwrap_or(now));
                passes::put(write, &Pass { rights, revoked_ms, ..pass })
            }
            Author::Source(id) if feed_sources::find(write, id)?.is_none() => {
                let Some(source) = feed_sources::find(self.from, id)? else { return Ok(()) };
                let removed_ms = Some(source.removed_ms.unwrap_or(now));
                feed_sources::put(write, &FeedSource { on: false, removed_ms, ..source })
            }
            Author::User
            | Author::Agent(_)
            | Author::Outside(_)
            | Author::Source(_)
            | Author::System => Ok(()),
        }
    }
}

fn enter_community(
    write: &mut Write<'_>,
    there: &Community,
    report: &mut Report,
) -> Result<(), StoreError> {
    let mut name = there.name.clone();
    if !there.archived {
        let others = communities::all(write)?;
        let is_taken = |name: &str| {
            others.iter().any(|other| !other.archived && letters::same(&other.name, name))
        };
        let mut n = 2;
        while is_taken(&name) {
            name = format!("{} ({n})", there.name);
            n += 1;
        }
        report.named(TakenKind::Community, &there.name, &name);
    }
    communities::put(write, &Community { name, ..there.clone() })
}

fn enter_group(
    write: &mut Write<'_>,
    there: &Group,
    report: &mut Report,
) -> Result<(), StoreError> {
    let default_agent = known(write, there.default_agent)?;
    let name = match there.kind {
        GroupKind::Group if !there.archived => {
            let name = groups::name_here(write, &there.name)?;
            report.named(TakenKind::Conversation, &there.name, &name);
            name
        }
        // It goes by its agent's name.
        GroupKind::Direct => match default_agent {
            Some(agent) => agents::get(write, agent)?.name,
            None => there.name.clone(),
        },
        GroupKind::Group | GroupKind::Task | GroupKind::Post => there.name.clone(),
    };
    let group = Group {
        name,
        default_agent,
        supervisor: known(write, there.supervisor)?,
        caps: limits::checked(there.caps).unwrap_or_default(),
        problem: None,
        ..there.clone()
    };
    group_table::put(write, &group)
}

fn known(read: &Read<'_>, agent: Option<AgentId>) -> Result<Option<AgentId>, StoreError> {
    let Some(id) = agent else { return Ok(None) };
    Ok(agents::find(read, id)?.map(|agent| agent.id))
}
