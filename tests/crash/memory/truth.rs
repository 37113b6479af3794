//! What must hold of what is remembered after a kill, and at the end.

use super::plan::{self, End};
use domain::{Memory, MemoryFilter, MemoryId, MemoryState, MemoryVersion, Standing};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use store::table::{memories, memory_versions, settings};
use store::{Store, StoreError};

struct Truth {
    all: HashMap<String, Memory>,
    versions: HashMap<MemoryId, Vec<MemoryVersion>>,
    /// What is on record of the imports that have not ended.
    begun: String,
}

/// What holds at any moment, also in the middle of everything. Gives what is on
/// record of the imports that have not ended.
pub(super) fn always(database: &Path, acknowledged: &BTreeSet<String>) -> String {
    let truth = look(database);
    truth.hold();
    for n in 0..plan::SAID {
        let is_there = truth.all.contains_key(&plan::said(n));
        assert!(is_there || !acknowledged.contains(&format!("said {n}")), "lost: said {n}");
    }
    for file in 0..plan::FILES.len() {
        if acknowledged.contains(&format!("file {file}")) {
            for (text, _) in plan::of_file(file) {
                assert!(truth.all.contains_key(&text), "lost of file {file}: {text}");
            }
        }
    }
    truth.begun
}

/// Everything is there once, and has become what it should.
pub(super) fn at_the_end(database: &Path) {
    let truth = look(database);
    truth.hold();
    assert_eq!(truth.begun, "[]", "an import is left over");
    let expected = plan::everything();
    for (text, end) in &expected {
        let memory = truth.all.get(text).unwrap_or_else(|| panic!("lost: {text}"));
        let holds = memory.state == MemoryState::Current;
        let gave_way = matches!(memory.state, MemoryState::Superseded(_));
        match end {
            End::Holds => assert!(holds && memory.evidence == 1, "{memory:?}"),
            End::GaveWay => assert!(gave_way, "{memory:?}"),
            // Said twice, and counted so once.
            End::Twin => assert!(holds && memory.evidence == 2 || gave_way, "{memory:?}"),
        }
    }
    let twins = expected.iter().filter(|(_, end)| *end == End::Twin);
    let holding = twins.clone().filter(|(text, _)| truth.all[text].state == MemoryState::Current);
    assert_eq!(holding.count() * 2, twins.count(), "one of two stays");
    assert_eq!(truth.all.len(), expected.len(), "more than there should be");
}

fn look(database: &Path) -> Truth {
    let (store, _) = Store::open(database, |_| {}).expect("the database opens");
    assert_eq!(store.check().expect("the database can be checked"), "ok");
    let looked: Result<Truth, StoreError> = store.read(|read| {
        let filter = MemoryFilter { standing: Standing::Any, ..MemoryFilter::default() };
        let (mut all, mut versions) = (HashMap::new(), HashMap::new());
        for changed in memories::page(read, &filter, 0, None, u32::MAX)? {
            let memory = changed.memory;
            versions.insert(memory.id, memory_versions::of(read, memory.id)?);
            let twice = all.insert(memory.text.clone(), memory);
            assert_eq!(twice, None, "there twice");
        }
        let begun = settings::fact(read, "memory.imports_begun")?.unwrap_or_default();
        Ok(Truth { all, versions, begun })
    });
    looked.expect("the database can be read")
}

impl Truth {
    fn hold(&self) {
        for memory in self.all.values() {
            let versions = &self.versions[&memory.id];
            let numbers: Vec<u32> = versions.iter().map(|version| version.version).collect();
            let expected: Vec<u32> = (1..=memory.version).collect();
            assert_eq!(numbers, expected, "a version is missing: {memory:?}");
            let last = versions.last().and_then(|version| version.memory.as_ref());
            assert_eq!(last.map(|last| last.state), Some(memory.state), "{memory:?}");
            if let MemoryState::Superseded(by) = memory.state {
                assert!(self.all.values().any(|other| other.id == by), "gone: {memory:?}");
            }
        }
    }
}
