//! What servers are given of the keys: the values of variables and headers, and
//! what they gave us when a person signed in.

use crate::acts::Ground;
use crate::keys;
use crate::shared::Shared;
use async_trait::async_trait;
use domain::FaultCode;
use mcp::{Secrets, Tokens};
use secrets::Secret;
use serde_json::Value;
use std::sync::Arc;

pub(super) struct Given(pub(super) Ground);

#[async_trait]
impl Secrets for Given {
    async fn find(&self, name: &str) -> Result<String, String> {
        let shared = self.0.shared().map_err(|returned| returned.text)?;
        let value = keys::value_of(&shared, name).await.map_err(|fault| fault.to_string())?;
        learn_words(&shared, name, value.expose());
        Ok(value.expose().to_owned())
    }

    fn tokens(&self, server: &str) -> Arc<dyn Tokens> {
        Arc::new(SignedIn { key: format!("{}sign-in", own_keys(server)), ground: self.0.clone() })
    }
}

/// What everything begins with that a server has among the keys.
pub(super) fn own_keys(server: &str) -> String {
    format!("mcp/{server}/")
}

/// Of `Bearer KEY`, `KEY` alone is told by nobody either.
pub(super) fn learn_words(shared: &Shared, name: &str, value: &str) {
    for word in value.split_whitespace() {
        shared.safe.redactor().learn(name, &Secret::from(word));
    }
}

struct SignedIn {
    key: String,
    ground: Ground,
}

#[async_trait]
impl Tokens for SignedIn {
    async fn load(&self) -> Result<Option<String>, String> {
        let shared = self.ground.shared().map_err(|returned| returned.text)?;
        match keys::value_of(&shared, &self.key).await {
            Ok(value) => {
                learn_tokens(&shared, &self.key, value.expose());
                Ok(Some(value.expose().to_owned()))
            }
            Err(fault) if fault.code == FaultCode::NotFound => Ok(None),
            Err(fault) => Err(fault.to_string()),
        }
    }

    async fn save(&self, secret: Option<String>) -> Result<(), String> {
        let shared = self.ground.shared().map_err(|returned| returned.text)?;
        let done = match secret {
            Some(secret) => {
                learn_tokens(&shared, &self.key, &secret);
                keys::set(&shared, self.key.clone(), &domain::Secret::new(secret)).await
            }
            None => match keys::remove(&shared, self.key.clone(), false).await {
                Err(fault) if fault.code == FaultCode::NotFound => Ok(()),
                done => done,
            },
        };
        done.map_err(|fault| fault.to_string())
    }
}

/// The tokens stand in a record, and alone in what somebody may show.
fn learn_tokens(shared: &Shared, name: &str, record: &str) {
    const NAMES: [&str; 4] = ["access_token", "refresh_token", "id_token", "client_secret"];
    let mut left: Vec<Value> = serde_json::from_str(record).into_iter().collect();
    while let Some(value) = left.pop() {
        match value {
            Value::Object(fields) => {
                for (field, value) in fields {
                    match value {
                        Value::String(text) if NAMES.contains(&field.as_str()) => {
                            shared.safe.redactor().learn(name, &Secret::from(text.as_str()));
                        }
                        value => left.push(value),
                    }
                }
            }
            Value::Array(items) => left.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}
