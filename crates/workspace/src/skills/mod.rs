//! Skills: folders in the open SKILL.md format, with instructions that agents load
//! when they need them.
//!
//! ```text
//! Watch ── "look again" ──> folder::read ──> shelf ──> told to everybody
//!                                              └─────> stand (listed), use_skill (loaded)
//! ```
//! The folder belongs to the person, as that of the souls does. A skill is bound to an
//! agent by its soul; a soul that names one that is not there has a warning as long as that
//! is so. It is its author's words and nothing more: what it says that it
//! uses gives nobody a tool, and its scripts are run as any other program is.

mod folder;
mod import;
mod needed;
mod parse;
mod shelf;
mod told;

pub(crate) use folder::files;
pub(crate) use import::{add, lay_out, prepare, remove};
pub(crate) use needed::tools_of;
pub(crate) use parse::SkillFront;
pub use parse::{CheckedSkill, check_folder};
pub(crate) use shelf::{OwnSkill, Skills, look};
pub(crate) use told::{all, detail, tell};

/// The one file that every skill has.
pub(crate) const FILE: &str = "SKILL.md";
/// As many write it: it counts where there is no other.
const FILE_IN_SMALL: &str = "skill.md";
