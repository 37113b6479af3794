//! Real files and folders for tests: some that an agent has, and some beside
//! them that it has not.

use crate::{CallContext, Place};
use domain::{AgentId, CallId, RunId};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub(crate) struct House {
    pub(crate) all: TempDir,
}

impl House {
    pub(crate) fn new() -> Self {
        let all = tempfile::tempdir().expect("a folder");
        let house = House { all };
        house.write("home/notes/plan.md", "buy tea\n买茶\n");
        house.write("home/readme.txt", "hello");
        house.write("outside/secret.txt", "the secret");
        house.write("home-too/near.txt", "the secret");
        house
    }

    /// Without links: where temporary folders lie may be behind one.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.all.path().canonicalize().expect("it is there").join(path)
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("makes folders");
        fs::write(path, content).expect("writes");
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect("a text")
    }

    /// What is in a folder, in order.
    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(path)).expect("a folder");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<String> = entries.map(|entry| name(entry.expect("readable"))).collect();
        names.sort();
        names
    }

    pub(crate) fn context(&self, roots: &[&str]) -> CallContext {
        CallContext {
            key: CallId(Uuid::nil()),
            agent: AgentId(Uuid::nil()),
            run: RunId(Uuid::nil()),
            place: Place {
                roots: roots.iter().map(|root| self.path(root)).collect(),
                ..Place::default()
            },
            target: None,
            stop: CancellationToken::new(),
            progress: Default::default(),
        }
    }
}
