//! What is put into the index.

/// A text that can be found, with what a search may ask about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Names the text. Putting another with the same key replaces it.
    pub key: u64,
    /// A search looks only into the pools it names.
    pub pool: u64,
    /// What sort of text it is, in the caller's numbering.
    pub kind: u8,
    pub at_ms: i64,
    /// Where it stands in a conversation, if it was said in one.
    pub turn: Option<Turn>,
    pub text: String,
}

/// A place in a conversation. What was said just before and after tells what a
/// turn is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    pub conversation: u64,
    /// Grows from turn to turn; the next need not be one more.
    pub seq: u64,
}
