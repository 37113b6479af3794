//! What servers are given of the keys: the values of variables and headers, and
//! what they gave us when a person signed in.

use crate::acts::Ground;
use crate::keys;
use async_trait::async_trait;
use domain::FaultCode;
use mcp::{Secrets, Tokens};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

pub(super) struct Given(pub(super) Ground);

#[async_trait]
impl Secrets for Given {
    async fn find(&self, name: &str, origin: Option<&str>) -> Result<String, String> {
        let shared = self.0.shared().map_err(|returned| returned.text)?;
        if let Some(origin) = origin {
            keys::is_for(&shared, name, origin).await.map_err(|fault| fault.to_string())?;
        }
        let value = keys::value_of(&shared, name).await.map_err(|fault| fault.to_string())?;
        Ok(value.expose().to_owned())
    }

    fn tokens(&self, server: &str, url: &str) -> Arc<dyn Tokens> {
        let (key, url) = (sign_in_of(server), url.to_owned());
        Arc::new(SignedIn { key, url, ground: self.0.clone() })
    }
}

/// What everything begins with that a server has among the keys.
pub(super) fn own_keys(server: &str) -> String {
    format!("mcp/{server}/")
}

/// Where it is kept that a person signed in with it.
pub(super) fn sign_in_of(server: &str) -> String {
    format!("{}sign-in", own_keys(server))
}

struct SignedIn {
    key: String,
    url: String,
    ground: Ground,
}

/// What is kept: tokens are shown to nobody but the server that gave them.
#[derive(Serialize, Deserialize)]
struct Signed {
    url: String,
    /// As the client wrote it.
    tokens: Value,
}

#[async_trait]
impl Tokens for SignedIn {
    async fn load(&self) -> Result<Option<String>, String> {
        let shared = self.ground.shared().map_err(|returned| returned.text)?;
        match keys::value_of(&shared, &self.key).await {
            Ok(value) => {
                let signed = serde_json::from_str::<Signed>(value.expose()).ok();
                let signed = signed.filter(|signed| signed.url == self.url);
                Ok(signed.map(|signed| signed.tokens.to_string()))
            }
            Err(fault) if fault.code == FaultCode::NotFound => Ok(None),
            Err(fault) => Err(fault.to_string()),
        }
    }

    async fn save(&self, secret: Option<String>) -> Result<(), String> {
        let shared = self.ground.shared().map_err(|returned| returned.text)?;
        let done = match secret {
            Some(secret) => {
                let tokens = serde_json::from_str(&secret).map_err(|error| error.to_string())?;
                let signed = Signed { url: self.url.clone(), tokens };
                let signed = serde_json::to_string(&signed).map_err(|error| error.to_string())?;
                keys::set(&shared, self.key.clone(), &domain::Secret::new(signed)).await
            }
            None => match keys::remove(&shared, self.key.clone(), false).await {
                Err(fault) if fault.code == FaultCode::NotFound => Ok(()),
                done => done,
            },
        };
        done.map_err(|fault| fault.to_string())
    }

    async fn can_save(&self) -> Result<(), String> {
        let shared = self.ground.shared().map_err(|returned| returned.text)?;
        keys::can_keep(&shared).await.map_err(|fault| fault.to_string())
    }
}
