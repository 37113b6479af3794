//! The rules of remembering: what is worth it, what is the same, what
//! contradicts, what is recalled.
//!
//! Plain functions over plain data. Where memories are kept, who asks, and when,
//! is the workspace's; how they are found is `search`'s.

mod also;
mod attributes;
mod cited;
mod corrected;
mod extract;
pub mod file;
mod marks;
mod parts;
mod proposed;
mod recall;
mod same;
mod stated;
mod traditional;
mod values;
mod verdict;

pub use attributes::{called, is_of_answers, is_one_sort};
pub use cited::{Claim, bears_on, has_secret, is_denied};
pub use corrected::corrected;
pub use extract::{
    Ending, Noticed, PERSON, ToForget, asks_to_forget, asks_to_keep_a_secret, endings,
    is_no_longer, is_order, is_prohibition, keeps_off, no_longer, notice, put_right, puts_right,
    says_of_none, sentences_of, sentences_that_say, taken_back,
};
pub use parts::{Part, beside_statement, part_of, parts};
pub use proposed::{About, Proposed, read as read_proposals, schema as schema_of_proposals};
pub use recall::{Found, Recall, recall};
pub use same::same_words;
pub use stated::{Writer, over, stated};
pub use verdict::{
    Verdict, fingerprint, same_key, same_value, says_again, says_over, standing_for, verdict,
};

#[cfg(test)]
mod tests {
    use domain::{Memory, MemoryId, MemoryKind, MemoryScope, MemoryState, Source, Trust};
    use uuid::Uuid;

    /// A memory as most are.
    pub(crate) fn memory(text: &str) -> Memory {
        Memory {
            id: MemoryId(Uuid::nil()),
            kind: MemoryKind::Fact,
            scope: MemoryScope::User,
            text: text.into(),
            statement: None,
            tags: vec![],
            trust: Trust::Person,
            importance: 50,
            pinned: false,
            source: Source::default(),
            valid_from_ms: None,
            valid_to_ms: None,
            created_at_ms: 0,
            changed_at_ms: 0,
            state: MemoryState::Current,
            evidence: 1,
            recalled: 0,
            recalled_at_ms: None,
            version: 1,
        }
    }
}
