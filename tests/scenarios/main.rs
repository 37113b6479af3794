//! Stories about a whole workspace. One file an area.

mod acts;
mod approvals;
mod attachments;
mod bad_input;
mod budgets;
mod cli;
mod context;
mod conversation;
mod drafts;
mod endurance;
mod everywhere;
mod families;
mod groups;
mod keys;
mod lifecycle;
mod memory;
mod models;
mod once;
mod planning;
mod policies;
mod programs;
mod recovery;
mod replay;
mod retries;
mod souls;
mod using_tools;
