//! Attachments: pictures and texts that a person shows with a message. Of a PDF it is the text.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A file as it stands with a message. Its bytes lie in the data directory
/// under their own hash, once for all messages that show them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Attachment {
    /// BLAKE3 of the bytes, in hexadecimal digits.
    pub hash: String,
    /// The file's own name, without its folder.
    pub name: String,
    pub kind: AttachmentKind,
    pub bytes: u32,
    /// The server that it was read from; none for a file of the person's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<ReadFrom>", optional)]
    pub from: Option<ReadFrom>,
}

/// A resource of a server of the Model Context Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ReadFrom {
    pub server: String,
    pub uri: String,
}

/// What the bytes are, read from the bytes themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum AttachmentKind {
    Png,
    Jpeg,
    Gif,
    Webp,
    /// UTF-8.
    Text,
}

/// What a kept file says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AttachmentContent {
    pub kind: AttachmentKind,
    pub base64: String,
}

/// Why the text of a PDF cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PdfUnread {
    /// It opens with a password only.
    Locked,
    /// Its pages are pictures.
    NoText,
    Damaged,
    /// Reading it takes more memory or time than one file may.
    Heavy,
    /// What reads PDFs is not installed.
    NoReader,
}

impl AttachmentKind {
    pub fn is_picture(self) -> bool {
        match self {
            AttachmentKind::Png
            | AttachmentKind::Jpeg
            | AttachmentKind::Gif
            | AttachmentKind::Webp => true,
            AttachmentKind::Text => false,
        }
    }
}
