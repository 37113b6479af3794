//! Where the folders that a soul names really lie.
//!
//! A person's way to a folder may lead through links of theirs. A link that lies where
//! some agent may write is nobody's word: whoever put it there would choose what another
//! agent, or itself, gets to see. So no folder is reached through one.

use domain::RootTrouble;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// As many as Linux follows.
const MOST_LINKS: usize = 40;

/// The folder without links. `writable` are the folders in which agents may write; it is
/// asked only where a link lies on the way.
pub(crate) fn real(
    root: &Path,
    writable: impl FnOnce() -> Vec<PathBuf>,
) -> Result<PathBuf, RootTrouble> {
    let way = Way::along(root).ok_or(RootTrouble::Missing)?;
    if !way.links_in.is_empty() {
        let writable = writable();
        let is_writable = |folder: &PathBuf| writable.iter().any(|root| folder.starts_with(root));
        if way.links_in.iter().any(is_writable) {
            return Err(RootTrouble::Link);
        }
    }
    Ok(way.leads_to)
}

/// Where a path leads, and the folders in which the links on the way lie.
struct Way {
    leads_to: PathBuf,
    links_in: Vec<PathBuf>,
}

impl Way {
    /// `None` where it leads to no folder.
    fn along(path: &Path) -> Option<Way> {
        let mut way = Way { leads_to: PathBuf::new(), links_in: Vec::new() };
        let mut rest = steps(path);
        while let Some(step) = rest.pop_front() {
            let next = match step {
                Step::Begin(begin) => PathBuf::from(begin),
                Step::Up => way.leads_to.parent().unwrap_or(&way.leads_to).to_owned(),
                Step::Into(name) => way.leads_to.join(name),
            };
            if !fs::symlink_metadata(&next).ok()?.is_symlink() {
                way.leads_to = next;
                continue;
            }
            way.links_in.push(way.leads_to.clone());
            if way.links_in.len() > MOST_LINKS {
                return None;
            }
            let mut through = steps(&fs::read_link(&next).ok()?);
            through.append(&mut rest);
            rest = through;
        }
        // Some systems have more names for a folder than its links.
        let leads_to = way.leads_to.canonicalize().ok()?;
        leads_to.is_dir().then_some(Way { leads_to, ..way })
    }
}

enum Step {
    Begin(OsString),
    Up,
    Into(OsString),
}

fn steps(path: &Path) -> VecDeque<Step> {
    let mut steps = VecDeque::new();
    let mut begin = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Prefix(_) | Component::RootDir => {
                begin.push(part);
                steps.clear();
                steps.push_back(Step::Begin(begin.clone().into_os_string()));
            }
            Component::CurDir => {}
            Component::ParentDir => steps.push_back(Step::Up),
            Component::Normal(name) => steps.push_back(Step::Into(name.to_owned())),
        }
    }
    steps
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_persons_links_are_followed_and_none_that_an_agent_could_have_put_there() {
        let home = tempfile::tempdir().expect("a folder of ours");
        let home = home.path().canonicalize().expect("a folder of ours");
        for folder in ["disk/plans/part", "private", "mine"] {
            fs::create_dir_all(home.join(folder)).expect("a folder of ours");
        }
        fs::write(home.join("file"), "").expect("a folder of ours");
        for (to, from) in [
            ("disk/plans", "plans"),
            ("../../private", "disk/plans/swapped"),
            ("../disk/plans/swapped", "mine/through"),
            ("round", "round"),
        ] {
            symlink(to, home.join(from)).expect("a folder of ours");
        }
        let check = |root: &str, expected: Result<&str, RootTrouble>| {
            let found = real(&home.join(root), || vec![home.join("disk/plans")]);
            assert_eq!(found, expected.map(|path| home.join(path)), "{root}");
        };
        check("disk/plans", Ok("disk/plans"));
        check("plans/part", Ok("disk/plans/part"));
        check("plans/part/../../plans/./part", Ok("disk/plans/part"));
        check("disk/plans/swapped", Err(RootTrouble::Link));
        check("plans/swapped", Err(RootTrouble::Link));
        check("mine/through", Err(RootTrouble::Link));
        check("round", Err(RootTrouble::Missing));
        check("file", Err(RootTrouble::Missing));
        check("gone", Err(RootTrouble::Missing));
    }
}
