//! Everyone together: agents, groups, and what passes between them.
//!
//! ```text
//!  commands ──▶ post, groups, lifecycle, keeper ──▶ store ──▶ events
//!                     │ wakes                          ▲
//!                     ▼                                │
//!  desk (one task per agent): begin ──▶ agent::run ──▶ settle
//! ```
//! What decides is plain: `turn_policy`, `limits`, `mentions`, `echo`,
//! `states`, `brief`. What waits is `desk`. Everything that must hold together
//! happens in one transaction of `store`, and is seen only after its commit.
//! No SQL here, no provider's wire format, no window.

mod acts;
mod approvals;
mod attachments;
mod backup;
mod begin;
mod branches;
mod brief;
mod budget;
mod calls;
mod capabilities;
mod chance;
mod clock;
mod commands;
mod context;
mod day;
mod derived;
mod desk;
mod digest;
mod doctor;
mod drafts;
mod echo;
mod estimate;
mod events;
mod everywhere;
mod exchange;
mod feed;
mod first_start;
mod fold;
mod forgetting;
mod gate;
mod groups;
mod hands;
mod heard;
mod held_up;
mod journal;
mod keeper;
mod kept;
mod keys;
mod letters;
mod lifecycle;
mod limits;
mod measured;
mod memory;
mod mentions;
mod metered;
mod models;
mod named;
mod new_file;
mod new_soul;
mod once;
mod outside;
mod place;
mod places;
mod post;
mod prices;
mod profile;
mod progress;
mod prompts;
mod proposals;
mod queries;
mod questions;
mod queue;
mod reactions;
mod recent;
mod recorded;
mod recover;
mod redacted;
mod replay;
mod restarts;
mod roles;
mod roots;
mod schedules;
mod seen;
mod served;
mod servers;
mod serving;
mod settle;
mod shared;
mod sight;
pub mod skills;
pub mod souls;
mod sources;
mod stand;
mod states;
mod stop;
mod supervisor;
mod tokens;
mod tool_pictures;
mod turn_policy;
mod turns;
mod unwritten;
mod waits;
mod weighted;
mod window;
mod workspace;

pub use backup::{forget_restore_unopened, restore_unopened};
pub use chance::Chance;
pub use clock::{Clock, SystemClock};
pub use keys::KeyParts;
pub use memory::{Again, Embedding, Scale};
pub use models::{Connected, LOCAL, Models, STARTER};
pub use places::Places;
pub use secrets::{Environment, Redactor, leave_no_image};
pub use store::Durability;
pub use workspace::{Parts, Start, Workspace, open};
