//! What a person has written in a group and not said yet.

use crate::{Attachment, GroupId, MessageId, RequestId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Draft {
    pub group: GroupId,
    /// What stands where the person writes, and what it is to show.
    pub text: String,
    pub attachments: Vec<Attachment>,
    /// What goes out when the group is quiet, in this order.
    pub unsent: Vec<Unsent>,
}

/// A message that waits to be posted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Unsent {
    /// The message's own id, so that it is posted once, whoever posts it.
    pub id: RequestId,
    pub text: String,
    pub reply_to: Option<MessageId>,
    pub attachments: Vec<Attachment>,
    /// It was refused once, so it goes out only when the person sends it.
    pub held: bool,
}

impl Draft {
    pub fn empty(group: GroupId) -> Draft {
        Draft { group, text: String::new(), attachments: Vec::new(), unsent: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.attachments.is_empty() && self.unsent.is_empty()
    }

    /// Puts a message behind those that wait, or in place of what it was.
    pub fn keep(&mut self, unsent: Unsent) {
        match self.unsent.iter_mut().find(|other| other.id == unsent.id) {
            Some(other) => *other = unsent,
            None => self.unsent.push(unsent),
        }
    }
}
