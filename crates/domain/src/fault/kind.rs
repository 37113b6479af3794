//! What a fault is about, precisely enough to say it in other words.
//!
//! A fault's own sentences are English and name commands. The window says the
//! same in its reader's language and names its own buttons: it knows by the
//! kind which cause it is, and takes the values from it.

use serde::{Deserialize, Deserializer, Serialize};
use ts_rs::TS;

/// `detail` is somebody else's English: SQLite's, the keyring's, the system's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum FaultKind {
    // The database, and the disk under it.
    DiskFull,
    DiskFails {
        detail: String,
    },
    DatabaseDamaged {
        path: String,
        detail: String,
    },
    DatabaseNewer {
        path: String,
        found: u32,
        known: u32,
    },
    /// Something stands in its place that is no file.
    DatabaseNoFile {
        path: String,
        found: NoFile,
    },
    /// This account may not read or write it.
    DatabaseForbidden {
        path: String,
    },
    DatabaseReadOnly {
        detail: String,
    },
    DatabaseUnopenable {
        path: String,
        detail: String,
    },
    DatabaseFails {
        detail: String,
    },
    BackupFails {
        path: String,
        detail: String,
    },

    // The data directory.
    FolderIsFile {
        path: String,
    },
    FolderForbidden {
        path: String,
    },
    FolderReadOnly {
        path: String,
    },
    FolderFull {
        path: String,
    },
    FolderUnusable {
        path: String,
        detail: String,
    },
    SocketTaken {
        path: String,
    },
    SocketFails {
        path: String,
        detail: String,
    },

    // The process that has the workspace open.
    OwnerSilent {
        path: String,
        /// Unknown where the lock does not say it.
        pid: Option<u32>,
    },
    OwnerForeign {
        path: String,
    },
    OwnerGone,
    OwnerSlow {
        seconds: u32,
    },
    OtherVersion {
        detail: String,
    },
    LineTooLong,
    WorkspaceClosed,

    // Keys and the places that they lie in.
    KeyringLocked,
    KeyringAbsent {
        detail: String,
    },
    KeyringDenied {
        detail: String,
    },
    KeyringSilent {
        seconds: u32,
    },
    KeyringLost {
        detail: String,
    },
    KeyringFails {
        detail: String,
    },
    SealedLocked,
    SealedMissing {
        path: String,
    },
    SealedExists {
        path: String,
    },
    SealedNewer {
        detail: String,
    },
    PassphraseWrong,
    PassphraseShort {
        least: u32,
    },
    /// It is kept nowhere.
    KeyMissing {
        name: String,
    },
    /// It is listed, and its place no longer holds it.
    KeyGone {
        name: String,
    },
    KeyDamaged {
        detail: String,
    },
    VariableUnset {
        variable: String,
    },

    // Messages and groups.
    MessageEmpty,
    MessageLong {
        length: u32,
        most: u32,
    },
    GroupArchived {
        group: String,
    },
    GroupDirect {
        group: String,
    },
    GroupSilent {
        group: String,
    },
    GroupNameTaken {
        name: String,
    },
    GroupNameUnfit {
        name: String,
    },
    GroupWithoutAgents,
    NotInGroup {
        group: String,
    },
    AgentEnded {
        name: String,
    },
    AgentNameUnfit {
        name: String,
    },
    /// Stopped, but that is not on the disk yet.
    StopUnsaved {
        detail: String,
    },

    // Models and who serves them.
    ModelUnchosen,
    ProviderUnknown {
        name: String,
    },
    ProviderNameUnfit {
        name: String,
    },
    AddressUnfit {
        address: String,
    },
    /// A call of a model failed; the fault's own sentences say more.
    Model {
        trouble: ModelTrouble,
    },
    ModelFile {
        path: String,
        wrong: ModelFileWrong,
    },
}

/// What stands where a file should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum NoFile {
    Folder,
    Pipe,
    Socket,
    Device,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ModelTrouble {
    Away,
    Broken,
    Busy,
    Failing,
    Key,
    Unknown,
    TooLong,
    Refused,
    Engine,
    File,
    /// A budget of one message or one run.
    TurnBudget,
    /// A budget that a new day fills again.
    DayBudget,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ModelFileWrong {
    Missing,
    /// Something else than a GGUF file.
    NoModel,
    CutOff,
    /// Damaged inside, or of a sort that the engine does not know.
    Unusable,
}

/// How it stands in a record: a kind that only a later Coterie knows is none,
/// its sentences still are.
pub(super) mod record {
    use super::{Deserialize, Deserializer, FaultKind, Serialize};
    use serde::Serializer;

    pub(crate) fn serialize<S: Serializer>(
        kind: &Option<Box<FaultKind>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        kind.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Box<FaultKind>>, D::Error> {
        let said = Option::<serde_json::Value>::deserialize(deserializer)?;
        Ok(said.and_then(|said| serde_json::from_value(said).ok()).map(Box::new))
    }
}
