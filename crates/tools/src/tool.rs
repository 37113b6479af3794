//! What every tool is.

use crate::fits_all_of;
use async_trait::async_trait;
use domain::{AgentId, CallId, Effects, Need, NeedOf, Risk, RunId, ToolSpec};
use serde_json::Value;
use std::path::{Component, Path, PathBuf};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Something an agent can use.
#[async_trait]
pub trait Tool: Send + Sync {
    /// The same at every call.
    fn spec(&self) -> &ToolSpec;

    /// What it needs to be of any use, and whether that is here.
    fn needs(&self, _place: &Place) -> Vec<Need> {
        Vec::new()
    }

    /// Whether an agent has it without its soul naming it: every tool more is more to
    /// read in every turn.
    fn is_usual(&self) -> bool {
        true
    }

    /// Whether it may be used beside the other calls of an answer: it neither sees nor
    /// changes what they do. All others are made in the order in which they stand there.
    fn stands_alone(&self) -> bool {
        self.spec().effects == Effects::None
    }

    /// Who does what it says it does: the same tool of somebody else is another one, for
    /// which nobody was asked. Nothing where it is ours.
    fn made_by(&self) -> &str {
        ""
    }

    /// What is at stake with this use, before anybody is asked about it. An
    /// error says why it cannot be made at all, for the model to read.
    fn stakes(&self, _arguments: &Value, _place: &Place) -> Result<Stakes, String> {
        Ok(Stakes { risk: self.spec().risk, ..Stakes::default() })
    }

    /// What this use would take the place of, as it stands now, for a person to
    /// compare. `None` where nothing is replaced, or nothing that is text.
    fn replaces(&self, _arguments: &Value, _place: &Place) -> Option<String> {
        None
    }

    /// The part of what is there that this use changes, as it stands now: what was allowed is
    /// asked about again where that is another by then. `None` where it is nothing, or no text.
    fn touches(&self, _arguments: &Value, _place: &Place) -> Option<String> {
        None
    }

    /// Why nothing can come of this use as things stand now, for the model to read, so that
    /// nobody is asked about it first. It means something only where nothing that is still
    /// to be done comes before the use.
    fn in_vain(&self, _arguments: &Value, _place: &Place) -> Option<String> {
        None
    }

    /// Uses it, with arguments that match its schema. Answers within 100 ms
    /// once `with.stop` is cancelled.
    async fn call(&self, arguments: Value, with: &CallContext) -> Returned;
}

/// What one use of a tool would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stakes {
    /// At most what the tool itself says.
    pub risk: Risk,
    /// What exactly it would touch, for a person to read: the whole path of a
    /// file, an address. What a person allows holds for this and nothing else.
    pub target: Option<String>,
    /// A pattern that this target and those like it fit: a folder, a host.
    pub like: Option<String>,
    /// The path as it was given, whole, which a link may make another name of what is
    /// touched, or an address as it reads without signs that stand for others: what never
    /// happens is compared with it, too.
    pub given: Option<String>,
    /// A program's text as it stands and in its parts, where that is what is used: what
    /// never happens is compared with each of them, too.
    pub texts: Vec<String>,
}

impl Default for Stakes {
    fn default() -> Self {
        Stakes { risk: Risk::High, target: None, like: None, given: None, texts: Vec::new() }
    }
}

/// What an agent has, here and now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The folders whose files are its to see; absolute, and by paths without links.
    /// What it writes without a whole path lies in the first.
    pub roots: Vec<PathBuf>,
    /// The one of them that is this agent's alone: nobody is asked about what it
    /// writes there.
    pub own: Option<PathBuf>,
    /// Where results are kept whole that are too long to be read at once.
    pub results: Option<Results>,
    /// Files and folders that it never changes, wherever its folders are.
    pub fixed: Vec<PathBuf>,
    /// What it never looks at, wherever its folders are: whole paths, as patterns
    /// ([`fits_all_of`]).
    pub unseen: Vec<String>,
    /// The folders of its skills. Programs may read them, and nothing changes them.
    pub skills: Vec<PathBuf>,
    /// Hosts, as `HOST` or `HOST:PORT`, that it may reach although they are not
    /// on the open internet.
    pub near_hosts: Vec<String>,
    /// The servers that have something to be read, of those that its soul names.
    pub resources: Vec<String>,
    /// The souls that it may give tasks to.
    pub delegates: Vec<String>,
}

/// A folder of one agent, whether or not the agent sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Results {
    /// Absolute, and without links.
    pub folder: PathBuf,
    /// The tool with which the agent reads there, if it has one.
    pub read_with: Option<String>,
}

impl Place {
    /// Of whatever works with files.
    pub(crate) fn folder(&self) -> Need {
        Need::new(NeedOf::Folder, !self.roots.is_empty())
    }

    pub(crate) fn is_its_own(&self, path: &Path) -> bool {
        self.own.as_ref().is_some_and(|own| lies_in(path, own))
    }

    pub(crate) fn never_sees(&self, path: &Path) -> bool {
        let fits = |pattern: &String| fits_all_of(pattern, &path.to_string_lossy());
        self.unseen.iter().any(fits)
    }

    pub(crate) fn keeps_from_change(&self, path: &Path) -> bool {
        !self.is_its_own(path) && self.fixed.iter().any(|fixed| lies_in(path, fixed))
    }

    /// Whether nothing that it never changes lies in one of its folders, or
    /// around it.
    pub(crate) fn may_change_all_of(&self, root: &Path) -> bool {
        let stands_in_the_way = |fixed: &PathBuf| lies_in(root, fixed) || lies_in(fixed, root);
        self.is_its_own(root) || !self.fixed.iter().any(stands_in_the_way)
    }
}

/// Both without links. Where file systems take `A` for `a`, so does this.
fn lies_in(path: &Path, folder: &Path) -> bool {
    let same = |one: Component, other: Component| {
        let any_case = cfg!(any(windows, target_os = "macos"));
        let lower = |part: Component| part.as_os_str().to_string_lossy().to_lowercase();
        one == other || (any_case && lower(one) == lower(other))
    };
    let mut path = path.components();
    folder.components().all(|part| path.next().is_some_and(|next| same(next, part)))
}

/// What a tool is told about one use of it.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// The same when the same use is tried again.
    pub key: CallId,
    /// Who uses it, and in which run.
    pub agent: AgentId,
    pub run: RunId,
    pub place: Place,
    /// What it may touch, as [`Tool::stakes`] gave it. A tool that would touch
    /// something else by now does nothing.
    pub target: Option<String>,
    pub stop: CancellationToken,
    /// Where a tool may say how far it is. The newest is what counts; nobody waits for
    /// whoever listens, and nobody may.
    pub progress: watch::Sender<Option<Progress>>,
}

/// How far a use is, as whoever does it says.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    pub done: f64,
    /// `None` where nobody knows how much there is to do.
    pub total: Option<f64>,
    pub message: Option<String>,
}

/// What came of a use of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Returned {
    /// Whether the tool did what it was asked.
    pub ok: bool,
    /// As long as it may be; what a model reads of it is cut by [`shown`].
    pub text: String,
    /// Somebody else wrote it, such as the author of a file or a page.
    pub foreign: bool,
    /// It is what a model reads, cut and marked already.
    pub shown: bool,
    /// What cannot be told in words.
    pub pictures: Vec<Picture>,
}

/// A picture as a server gives it: nobody has looked whether it is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Such as `image/png`.
    pub media_type: String,
    pub base64: String,
}

impl Returned {
    pub fn ok(text: impl Into<String>) -> Self {
        Returned { ok: true, text: text.into(), foreign: false, shown: false, pictures: Vec::new() }
    }

    /// `text` says what was tried, why it did not work and what may help.
    pub fn failed(text: impl Into<String>) -> Self {
        Returned {
            ok: false,
            text: text.into(),
            foreign: false,
            shown: false,
            pictures: Vec::new(),
        }
    }

    /// The answer of a tool that was stopped and has changed nothing.
    pub fn stopped() -> Self {
        Returned::failed("stopped before it was done")
    }

    /// The answer of a tool that was stopped while it did what nobody can see the end of.
    pub fn cut_off() -> Self {
        Returned::failed(
            "stopped while it ran: it may or may not have happened; check before you repeat it",
        )
    }

    /// The same, as something that others wrote: a model reads it as material.
    pub fn foreign(self) -> Self {
        Returned { foreign: true, ..self }
    }

    /// The same, with these.
    pub fn with_pictures(self, pictures: Vec<Picture>) -> Self {
        Returned { pictures, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fixed_is_changed_only_in_the_agents_own_folder() {
        let place = Place {
            own: Some("/data/folders/ada".into()),
            fixed: vec!["/data/souls".into(), "/data/folders".into(), "/data/coterie.db".into()],
            ..Place::default()
        };
        let check = |path: &str, kept: bool| {
            assert_eq!(place.keeps_from_change(Path::new(path)), kept, "{path}");
        };
        check("/data/souls/ada.md", true);
        check("/data/souls", true);
        check("/data/coterie.db", true);
        check("/data/folders/bo/notes", true);
        check("/data/folders/ada/notes", false);
        check("/data/folders/adam/notes", true);
        check("/data/books/souls", false);
        check("/data/soulsearch", false);
    }
}
