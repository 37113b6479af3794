//! What a person has written in a group and not said yet.

use crate::{Attachment, GroupId, MessageId, RequestId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Draft {
    pub group: GroupId,
    /// What stands where the person writes.
    pub written: Written,
    /// What goes out when the group is quiet, in this order.
    pub unsent: Vec<Unsent>,
}

/// What a message is to say and to show.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct Written {
    pub text: String,
    /// The message that it quotes and answers.
    pub reply_to: Option<MessageId>,
    pub attachments: Vec<Attachment>,
}

/// A message that waits to be posted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Unsent {
    /// The message's own id, so that it is posted once, whoever posts it.
    pub id: RequestId,
    #[serde(flatten)]
    pub written: Written,
    /// It was refused once, so it goes out only when the person sends it.
    pub held: bool,
}

impl Draft {
    pub fn empty(group: GroupId) -> Draft {
        Draft { group, written: Written::default(), unsent: Vec::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.written == Written::default() && self.unsent.is_empty()
    }

    /// Puts a message behind those that wait, or in place of what it was.
    pub fn keep(&mut self, unsent: Unsent) {
        match self.unsent.iter_mut().find(|other| other.id == unsent.id) {
            Some(other) => *other = unsent,
            None => self.unsent.push(unsent),
        }
    }
}
