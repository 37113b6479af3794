//! Where a provider lives, the key to it, and how patient to be with it.

use super::decode::Patience;
use super::refusal::Asked;
use crate::{ModelFault, Trouble};
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use std::net::IpAddr;
use std::time::Duration;

const IDLE: Duration = Duration::from_secs(120);
/// A model on this machine may read a long prompt for minutes before its first word.
const IDLE_ON_LOOPBACK: Duration = Duration::from_secs(300);
/// A long answer of a slow model takes this long, and none takes longer.
const WHOLE: Duration = Duration::from_secs(60 * 60);

/// A server's address with what belongs to it.
#[derive(Clone)]
pub struct Endpoint {
    name: String,
    base: Url,
    key: Option<Key>,
    manner: Manner,
    patience: Patience,
}

/// A place below an endpoint's address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<'a> {
    pub(crate) parts: &'a [&'a str],
    pub(crate) query: &'a [(&'a str, &'a str)],
}

impl<'a> Path<'a> {
    pub(crate) const fn of(parts: &'a [&'a str]) -> Self {
        Path { parts, query: &[] }
    }
}

/// How a kind of interface is spoken to, beside what is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Manner {
    /// The header that carries the key, and what stands before it.
    pub(crate) key_header: &'static str,
    pub(crate) key_prefix: &'static str,
    /// Sent with everything.
    pub(crate) headers: &'static [(&'static str, &'static str)],
    /// What its addresses usually end in, for whoever has to correct one.
    pub(crate) address_ends: &'static str,
}

impl Default for Manner {
    fn default() -> Self {
        Manner {
            key_header: "authorization",
            key_prefix: "Bearer ",
            headers: &[],
            address_ends: "/v1",
        }
    }
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
            let fix = Asked::new(&*name, "").fix_address();
            ModelFault::new(Trouble::Refused, message, fix)
        };
        let base = Url::parse(base_url.trim()).map_err(|error| wrong(error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") || !base.has_host() {
            return Err(wrong("it must begin with http:// or https://".into()));
        }
        let idle = if is_loopback(&base) { IDLE_ON_LOOPBACK } else { IDLE };
        let patience = Patience { idle, whole: WHOLE };
        Ok(Endpoint { name, base, key: None, manner: Manner::default(), patience })
    }

    #[must_use]
    pub fn with_key(self, key: Key) -> Self {
        Endpoint { key: Some(key), ..self }
    }

    /// How long an answer may stand still before it counts as broken.
    #[must_use]
    pub fn with_idle(self, idle: Duration) -> Self {
        Endpoint { patience: Patience { idle, ..self.patience }, ..self }
    }

    /// How long a whole answer may take.
    #[must_use]
    pub fn with_whole(self, whole: Duration) -> Self {
        Endpoint { patience: Patience { whole, ..self.patience }, ..self }
    }

    #[must_use]
    pub(crate) fn spoken_to(self, manner: Manner) -> Self {
        Endpoint { manner, ..self }
    }

    /// Without this at the end of its path.
    #[must_use]
    pub(crate) fn without(mut self, end: &str) -> Self {
        let path = self.base.path().trim_end_matches('/');
        if let Some(path) = path.strip_suffix(end).map(str::to_owned) {
            self.base.set_path(&path);
        }
        self
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The headers of every question. Fails on a key that cannot be sent.
    pub(super) fn headers(&self) -> Result<HeaderMap, ModelFault> {
        let Manner { key_header, key_prefix, headers, .. } = self.manner;
        let pairs = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let mut all: HeaderMap = pairs.collect();
        if let Some(key) = &self.key {
            let value = key.header(key_prefix).ok_or_else(|| unsendable_key(&self.name))?;
            all.insert(HeaderName::from_static(key_header), value);
        }
        Ok(all)
    }

    pub(crate) fn patience(&self) -> Patience {
        self.patience
    }

    pub(crate) fn is_local(&self) -> bool {
        self.base.scheme() == "http" && is_loopback(&self.base)
    }

    pub(crate) fn host(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    pub(crate) fn asked(&self, model: &str) -> Asked {
        Asked { key: self.key.clone(), manner: self.manner, ..Asked::new(&*self.name, model) }
    }

    /// For an answer that lists no models.
    pub(crate) fn no_list(&self) -> ModelFault {
        ModelFault::new(
            Trouble::Refused,
            format!("{} answered, but not with a list of models", self.name),
            self.asked("").fix_address(),
        )
    }

    /// The address with this below it.
    pub(super) fn at(&self, path: &Path<'_>) -> Url {
        let mut url = self.base.clone();
        let mut segments = url.path_segments_mut().expect("http addresses have paths");
        segments.pop_if_empty().extend(path.parts);
        drop(segments);
        if !path.query.is_empty() {
            url.query_pairs_mut().extend_pairs(path.query);
        }
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
    fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{prefix}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    pub(super) fn taken_out_of(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

fn unsendable_key(name: &str) -> ModelFault {
    ModelFault::new(
        Trouble::Key,
        format!("the key of {name} holds characters that no key can have"),
        "copy the key again into its variable, and start Coterie again",
    )
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
            assert_eq!(endpoint.at(&Path::of(&["chat", "completions"])).as_str(), url);
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
            Endpoint::new("acme", base).map_err(|fault| fault.message).map(|it| it.patience().idle)
        };
        assert_eq!(idle("http://127.0.0.1:11434/v1"), Ok(Duration::from_secs(300)));
        assert_eq!(idle("https://acme.example/v1"), Ok(Duration::from_secs(120)));
    }
}
