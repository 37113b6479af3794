//! Tools that act on the workspace itself.

mod act;
mod ask_user;
mod children;
mod delegate;
mod feed;
mod ground;
mod memory_save;
mod memory_search;
mod message_agent;
mod own_words;
mod read_resource;
mod schedule;
mod soul_propose;
mod time;
mod use_skill;

use act::Act;
pub(crate) use ask_user::ASK_USER;
pub(crate) use children::{
    MadeBy, child_of, end_orphans, end_those_without_a_call, full, given_by, resume_below,
    without_those_at_a_task, working_below,
};
use delegate::Delegate;
pub(crate) use ground::Ground;
pub(crate) use memory_search::found_as;
pub(crate) use read_resource::READ_RESOURCE;
use read_resource::ReadResource;
pub(crate) use use_skill::USE_SKILL;
use use_skill::UseSkill;
