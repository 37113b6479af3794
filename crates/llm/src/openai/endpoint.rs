//! Where a provider lives, the key to it, and how patient to be with it.

use super::quirks::{self, Quirks};
use super::refusal::{Asked, fix_address};
use crate::{ModelFault, Trouble};
use reqwest::Url;
use reqwest::header::HeaderValue;
use std::net::IpAddr;
use std::time::Duration;

const IDLE: Duration = Duration::from_secs(120);
/// A model on this machine may read a long prompt for minutes before its first word.
const IDLE_ON_LOOPBACK: Duration = Duration::from_secs(300);

/// A server's address with what belongs to it.
#[derive(Clone)]
pub struct Endpoint {
    name: String,
    base: Url,
    key: Option<Key>,
    idle: Duration,
}

/// A secret. It can be sent and it can be taken out of a text; there is
/// deliberately no way to print it.
#[derive(Clone)]
pub struct Key(String);

impl Endpoint {
    /// `name` is the part before the slash in `provider/model`; `base_url` is
    /// what `/chat/completions` is added to. Fails on what is no web address.
    pub fn new(name: impl Into<String>, base_url: &str) -> Result<Self, ModelFault> {
        let name = name.into();
        let wrong = |why: String| {
            let message = format!("the address of {name} is not a web address: {why}");
            ModelFault::new(Trouble::Refused, message, fix_address(&name))
        };
        let base = Url::parse(base_url.trim()).map_err(|error| wrong(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(wrong("it must begin with http:// or https://".into()));
        }
        let idle = if is_loopback(&base) { IDLE_ON_LOOPBACK } else { IDLE };
        Ok(Endpoint { name, base, key: None, idle })
    }

    #[must_use]
    pub fn with_key(self, key: Key) -> Self {
        Endpoint { key: Some(key), ..self }
    }

    /// How long an answer may stand still before it counts as broken.
    #[must_use]
    pub fn with_idle(self, idle: Duration) -> Self {
        Endpoint { idle, ..self }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    pub(super) fn idle(&self) -> Duration {
        self.idle
    }

    pub(super) fn is_local(&self) -> bool {
        self.base.scheme() == "http" && is_loopback(&self.base)
    }

    pub(super) fn quirks(&self, model: &str) -> Quirks {
        quirks::of(&self.name, self.base.host_str().unwrap_or_default(), model)
    }

    pub(super) fn asked(&self, model: &str) -> Asked {
        Asked { server: self.name.clone(), model: model.to_owned(), key: self.key.clone() }
    }

    /// The address with these parts at the end of its path.
    pub(super) fn at(&self, parts: &[&str]) -> Url {
        let mut url = self.base.clone();
        url.path_segments_mut().expect("http addresses have paths").pop_if_empty().extend(parts);
        url
    }

    /// For messages: without user, password and query.
    pub(super) fn address(&self) -> String {
        let origin = self.base.origin().ascii_serialization();
        origin + self.base.path().trim_end_matches('/')
    }
}

impl Key {
    pub fn new(key: impl Into<String>) -> Self {
        Key(key.into().trim().to_owned())
    }

    /// None when it holds characters that cannot be sent.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    pub(super) fn taken_out_of(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_with_and_without_its_last_slash() {
        let check = |base: &str, url: &str, address: &str, local: bool| {
            let endpoint =
                Endpoint::new("acme", base).map_err(|fault| fault.message).expect("is an address");
            assert_eq!(endpoint.at(&["chat", "completions"]).as_str(), url);
            assert_eq!(
                (endpoint.address().as_str(), endpoint.is_local()),
                (address, local),
                "{base}"
            );
        };
        check(
            "http://127.0.0.1:1/v1",
            "http://127.0.0.1:1/v1/chat/completions",
            "http://127.0.0.1:1/v1",
            true,
        );
        check(
            "http://[::1]:1/v1/",
            "http://[::1]:1/v1/chat/completions",
            "http://[::1]:1/v1",
            true,
        );
        check(
            " http://localhost:1 ",
            "http://localhost:1/chat/completions",
            "http://localhost:1",
            true,
        );
        check(
            "https://me:secret@acme.example/v1?version=2",
            "https://me:secret@acme.example/v1/chat/completions?version=2",
            "https://acme.example/v1",
            false,
        );
    }

    #[test]
    fn what_is_no_web_address_is_refused_with_the_reason() {
        let check = |base: &str, why: &str| {
            let fault = Endpoint::new("acme", base).err().expect("is no address");
            assert_eq!(fault.trouble, Trouble::Refused);
            assert_eq!(fault.message, format!("the address of acme is not a web address: {why}"));
        };
        check("", "relative URL without a base");
        check("localhost:11434", "it must begin with http:// or https://");
        check("file:///etc/passwd", "it must begin with http:// or https://");
    }

    #[test]
    fn patience_depends_on_where_the_server_is() {
        let idle = |base: &str| {
            Endpoint::new("acme", base).map_err(|fault| fault.message).map(|it| it.idle())
        };
        assert_eq!(idle("http://127.0.0.1:11434/v1"), Ok(Duration::from_secs(300)));
        assert_eq!(idle("https://acme.example/v1"), Ok(Duration::from_secs(120)));
    }
}
