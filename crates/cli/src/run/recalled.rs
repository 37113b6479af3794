//! What the memories said that a run was reminded of.

use crate::ids::end_of;
use crate::session::Session;
use crate::words::memory::beginning;
use domain::{MemoryId, Query, Recalled, Reply, Step, StepKind};
use std::collections::HashMap;

/// The words of memories as they were when they were read; nothing of those
/// that are forgotten, or of another workspace.
#[derive(Default)]
pub(super) struct Said(HashMap<(MemoryId, u32), String>);

/// So much of a memory and of a query as says which one it is.
const MOST: usize = 40;

pub(super) async fn look_up(session: &Session, steps: &[Step]) -> Said {
    let mut said = Said::default();
    for step in steps {
        let StepKind::Recalled { memories, .. } = &step.kind else { continue };
        for one in memories {
            let query = Query::Memory { memory: one.memory };
            let Ok(Reply::MemoryDetail(detail)) = session.ask(query).await else { continue };
            let then = detail.versions.into_iter().find(|version| version.version == one.version);
            if let Some(memory) = then.and_then(|version| version.memory) {
                said.0.insert((one.memory, one.version), memory.text);
            }
        }
    }
    said
}

impl Said {
    /// What was looked up, and what was found by it with its score.
    pub(super) fn told(&self, query: &str, memories: &[Recalled], words_only: bool) -> String {
        let how = if words_only { ", by words alone" } else { "" };
        let all: Vec<String> = memories.iter().map(|one| self.one(one)).collect();
        format!("{} for “{}”{how}: {}", memories.len(), beginning(query, MOST), all.join("; "))
    }

    fn one(&self, recalled: &Recalled) -> String {
        let said = self.0.get(&(recalled.memory, recalled.version));
        let said = said.map_or_else(
            || format!("memory {}", end_of(recalled.memory)),
            |text| format!("“{}”", beginning(text, MOST)),
        );
        let pinned = match (recalled.pinned, recalled.scores) {
            (true, _) => "pinned ",
            (false, None) => "from before ",
            (false, Some(_)) => "",
        };
        let score = recalled.scores.map_or(String::new(), |scores| format!("{:.2} ", scores.total));
        format!("{pinned}{score}{said}")
    }
}
