//! What a person writes, without the keys that are kept: somebody may paste one
//! where it does not belong.

use super::Safe;
use crate::shared::Shared;
use std::sync::Arc;

/// The text without kept values. One that this process has not read yet is read
/// when the text may hold it.
pub(crate) async fn without_keys(shared: &Arc<Shared>, text: String) -> String {
    if shared.safe.vault.suspects(&text).is_empty() {
        return shared.safe.redactor().redact_known(&text).into_owned();
    }
    let (with, said) = (shared.clone(), text.clone());
    let clean = tokio::task::spawn_blocking(move || with.safe.taken_out_of(&said)).await;
    clean.unwrap_or_else(|_| shared.safe.vault.without_suspects(&text))
}

impl Safe {
    /// The same on a thread that may wait.
    pub(crate) fn taken_out_of(&self, text: &str) -> String {
        for name in self.vault.suspects(text) {
            if let Err(error) = self.opening_if_needed(|vault| vault.learn(&name)) {
                tracing::warn!(name, %error, "a key that may stand in a text cannot be read");
            }
        }
        let known = self.redactor().redact_known(text);
        self.vault.without_suspects(&known)
    }
}
