//! One window a workspace: whoever starts Coterie again on the same one is led to the window
//! that shows it, with what they wanted to see.
//!
//! Where the system cannot tell that one is there, a second window opens on the same
//! workspace, which does no harm.

use crate::environment::Arguments;
use crate::{links, window};
use clap::Parser;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use tauri::Runtime;
use tauri::plugin::TauriPlugin;
use tauri_plugin_single_instance::Builder;

/// `None` where another window is wanted, or the system tells windows apart by the program
/// alone and this one shows a workspace of its own.
pub(crate) fn plugin<R: Runtime>(
    arguments: &Arguments,
    data: Option<&Path>,
) -> Option<TauriPlugin<R>> {
    let is_told_apart = cfg!(target_os = "linux") || arguments.data.is_none();
    let data = data.filter(|_| is_told_apart && !arguments.another)?;
    let plugin = Builder::new().dbus_id(name(data)).callback(|app, started_with, _| {
        window::bring(app);
        if let Some(link) = Arguments::try_parse_from(started_with).ok().and_then(|it| it.link) {
            links::follow(app, link);
        }
    });
    Some(plugin.build())
}

/// One for each folder, however it is written.
fn name(data: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    real(data).hash(&mut hasher);
    format!("io.github.coterie.w{:016x}", hasher.finish())
}

/// The path without links, also of a folder that is not there yet.
fn real(path: &Path) -> PathBuf {
    let found = path.ancestors().find_map(|above| {
        let real = above.canonicalize().ok()?;
        Some(real.join(path.strip_prefix(above).ok()?))
    });
    found.unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_folder_has_one_name_before_and_after_it_is_made_and_over_a_link() {
        let home = tempfile::tempdir().unwrap();
        let over = home.path().join("over");
        std::os::unix::fs::symlink(home.path(), &over).unwrap();
        let (data, linked) = (home.path().join("a/b"), over.join("a/b"));
        let before = name(&linked);
        assert_eq!(before, name(&data));
        std::fs::create_dir_all(&data).unwrap();
        assert_eq!(before, name(&data));
        assert_ne!(before, name(&home.path().join("a/c")));
    }
}
