//! What a person writes, without the keys that are kept: somebody may paste one
//! where it does not belong, in a message or in a name.

use super::{KeyringState, Safe, lock_up};
use crate::shared::Shared;
use domain::Command;
use secrets::{Error, Place};
use serde_json::Value;
use std::cell::LazyCell;
use std::sync::Arc;
use uuid::Uuid;

/// A shorter value is not looked for.
const LEAST: usize = 8;

/// A key out of what was pasted for it: it often ends in a newline, and stands in quotes,
/// behind `Bearer`, or in a line `NAME=key` of a file.
pub(super) fn key(pasted: &str) -> &str {
    let mut key = pasted;
    loop {
        let before = key.len();
        key = key.trim().trim_start_matches('\u{feff}');
        for quote in ['"', '\'', '`'] {
            key = key.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)).unwrap_or(key);
        }
        key = key.strip_prefix("Bearer ").or(key.strip_prefix("export ")).unwrap_or(key);
        key = key.split_once('=').filter(|(name, _)| is_variable(name)).map_or(key, |(_, key)| key);
        if key.len() == before {
            return key;
        }
    }
}

fn is_variable(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.contains('_') && name.chars().all(fits)
}

/// The command without kept values, wherever they stand in it. Those that this
/// process has not read yet are read before, where they can be.
pub(crate) async fn without_keys(shared: &Arc<Shared>, command: Command) -> Command {
    let with = shared.clone();
    match command {
        // What a server asks for may be one, and a file is looked through as it is kept.
        // The others are refused with one in them. For all of that it has to be known.
        Command::AnswerQuestion { .. }
        | Command::Attach { .. }
        | Command::SaveProvider { .. }
        | Command::PutServer { .. }
        | Command::ImportServers { .. }
        | Command::EditServer { .. } => {
            let learned = tokio::task::spawn_blocking(move || with.safe.learn_those_unread());
            if let Err(error) = learned.await {
                tracing::warn!(%error, "not every key can be known again");
            }
            return command;
        }
        _ => {}
    }
    // What is a secret by its type is not written down, and is where it belongs.
    let Ok(written) = serde_json::to_value(&command) else { return command };
    if !any_words(&written, &|words| shared.safe.may_hold_a_key(words)) {
        return command;
    }
    let clean = tokio::task::spawn_blocking(move || {
        with.safe.learn_those_unread();
        each(written, &|words| with.safe.taken_out_of(words))
    });
    match clean.await.map(serde_json::from_value) {
        Ok(Ok(clean)) => clean,
        Ok(Err(_)) | Err(_) => command,
    }
}

/// Before the first of the agents' turns in this process, and before anything that comes
/// in by itself is kept: what can be read without anybody being asked is known before a
/// tool shows it, a model tells it or a program sends it. The others wait for that.
pub(crate) async fn known_before_turns(shared: &Arc<Shared>) {
    let learn = || async {
        // Turns that begin together keep their order where there is nothing to read.
        if !shared.safe.any_to_learn() {
            return;
        }
        let with = shared.clone();
        let learned = tokio::task::spawn_blocking(move || with.safe.learn_unasked()).await;
        if let Err(error) = learned {
            tracing::warn!(%error, "not every key can be known again");
        }
    };
    shared.safe.known_before_turns.get_or_init(learn).await;
}

/// Whether this holds for something of it that a person may have written.
fn any_words(value: &Value, holds: &impl Fn(&str) -> bool) -> bool {
    match value {
        Value::String(words) => may_be_written(words) && holds(words),
        Value::Array(list) => list.iter().any(|one| any_words(one, holds)),
        Value::Object(fields) => {
            fields.iter().any(|(name, one)| !is_ours(name) && any_words(one, holds))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The same with each of a person's words cleaned; what is ours stays, so that it
/// can be read as a command again.
fn each(value: Value, clean: &impl Fn(&str) -> String) -> Value {
    match value {
        Value::String(words) if may_be_written(&words) => Value::String(clean(&words)),
        Value::Array(list) => list.into_iter().map(|one| each(one, clean)).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, one)| if is_ours(&name) { (name, one) } else { (name, each(one, clean)) })
            .collect(),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

fn may_be_written(words: &str) -> bool {
    words.len() >= LEAST && words.parse::<Uuid>().is_err()
}

/// Which command, or which of several shapes a part of it has.
fn is_ours(field: &str) -> bool {
    field == "kind"
}

impl Safe {
    fn may_hold_a_key(&self, words: &str) -> bool {
        self.any_to_learn() || self.redactor().redact_known(words) != words
    }

    /// Whether something lies unread in a place that is not known to be closed, and
    /// was not asked for in vain: what is listed there may be gone.
    fn any_to_learn(&self) -> bool {
        let is_away = matches!(*lock_up(&self.keyring), KeyringState::Away(_));
        let was_tried = *lock_up(&self.learned);
        let can_be_read = |place: &Place| match place {
            Place::Keyring => !is_away && !was_tried,
            Place::SealedFile => !was_tried,
            Place::Environment { .. } => false,
        };
        let mut listed = self.vault.list().into_iter();
        listed.any(|one| can_be_read(&one.place) && !self.vault.is_at_hand(&one.name))
    }

    /// The same for what nobody is there to be asked for, on a thread that may wait: a
    /// keyring that is locked stays so, and what ends as one of its values counts as it.
    fn learn_unasked(&self) {
        let is_open = LazyCell::new(|| self.vault.is_keyring_open());
        let may_be_read = |place: &Place| match place {
            Place::Keyring => *is_open,
            Place::SealedFile | Place::Environment { .. } => true,
        };
        let learned = self.opening_if_needed(|vault| vault.learn_all(may_be_read));
        if let Err(error) = learned
            && !matches!(error, Error::SealedLocked)
        {
            tracing::warn!(%error, "not every key can be known again in what agents read");
        }
    }

    /// On a thread that may wait.
    fn learn_those_unread(&self) {
        if !self.any_to_learn() {
            return;
        }
        let learned = self.opening_if_needed(|vault| vault.learn_all(|_| true));
        *lock_up(&self.learned) = true;
        if let Err(error) = &learned
            && !matches!(error, Error::SealedLocked)
        {
            self.note(&learned);
            tracing::warn!(%error, "not every key can be known again in a text");
        }
    }

    /// The text without kept values, on a thread that may wait.
    pub(crate) fn taken_out_of(&self, text: &str) -> String {
        for name in self.vault.suspects(text) {
            if let Err(error) = self.opening_if_needed(|vault| vault.learn(&name)) {
                tracing::warn!(name, %error, "a key that may stand in a text cannot be read");
            }
        }
        self.redactor().redact_known(text).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::key;

    #[test]
    fn a_key_is_found_in_what_was_pasted_for_it() {
        for pasted in [
            "sk-1=x",
            " sk-1=x\r\n",
            "\u{feff}sk-1=x",
            "\"sk-1=x\"",
            "Bearer sk-1=x",
            "OPENAI_API_KEY=sk-1=x",
            "export OPENAI_API_KEY='sk-1=x'\n",
        ] {
            assert_eq!(key(pasted), "sk-1=x", "{pasted:?}");
        }
        assert_eq!(key("ABC=="), "ABC==", "no name of a variable");
    }
}
