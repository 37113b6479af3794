//! Tools whose uses leave a line in a file, which no kill takes back.

use async_trait::async_trait;
use domain::{Effects, Risk, ToolSpec};
use serde_json::Value;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tools::{CallContext, Returned, Tool};

/// `once` writes a line at each use, `risky` too, which a person is asked about
/// first; `keyed` writes one for each key. `look` leaves none.
pub(crate) fn tools(folder: &Path) -> Vec<Arc<dyn Tool>> {
    let writing = Arc::new(Mutex::new(()));
    let tool = |name: &str, effects, risk| -> Arc<dyn Tool> {
        let spec = ToolSpec { risk, ..tests::tool_spec(name, effects) };
        Arc::new(Mark { spec, file: folder.join("effects"), writing: writing.clone() })
    };
    vec![
        tool("keyed", Effects::Repeatable, Risk::Low),
        tool("look", Effects::None, Risk::Low),
        tool("once", Effects::Once, Risk::Low),
        tool("risky", Effects::Once, Risk::High),
    ]
}

struct Mark {
    spec: ToolSpec,
    file: PathBuf,
    writing: Arc<Mutex<()>>,
}

#[async_trait]
impl Tool for Mark {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, _: Value, with: &CallContext) -> Returned {
        if self.spec.effects == Effects::None {
            return Returned::ok("seen");
        }
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let line = format!("{} {}\n", self.spec.name, with.key);
        let before = fs::read_to_string(&self.file).unwrap_or_default();
        if self.spec.effects == Effects::Once || !before.contains(&line) {
            fail::fail_point!("effect.before");
            let mut file = OpenOptions::new()
                .create(true)
                .append(true)
                .open(&self.file)
                .expect("the folder is there");
            file.write_all(line.as_bytes()).expect("the disk has room");
            file.sync_all().expect("the disk works");
            fail::fail_point!("effect.after");
        }
        Returned::ok("marked")
    }
}
