//! The tool `fetch`.
//!
//! It reaches the open internet and nothing near: not this machine, not the
//! network that it stands in. Each address is checked when its name has been
//! looked up, and what was checked is what is connected to. Where an address
//! leads on to another one, the agent is told: that is another use, with a
//! question of its own.

mod addresses;
mod page;

use crate::{CallContext, Place, Returned, Stakes, Tool, describe, input};
use addresses::{Names, is_open};
use async_trait::async_trait;
use domain::{Effects, Risk, ToolSpec};
use percent_encoding::percent_decode_str;
use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Client, Response, Url, redirect};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::error::Error;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::timeout;

/// Gets a page or a text file from the web and gives its text: of a web page as
/// Markdown. It cannot sign in anywhere or fill in forms.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The whole address, beginning with `https://` or `http://`.
    url: String,
}

const MOST_BYTES: usize = 4 << 20;
const CONNECT: Duration = Duration::from_secs(10);
/// For everything.
const WHOLE: Duration = Duration::from_secs(60);
const TAKEN: &str = "text/html,text/markdown,text/plain,application/json,text/*;q=0.9,*/*;q=0.1";

pub struct Fetch {
    spec: ToolSpec,
    /// For the open internet, and for hosts that a person let through.
    clients: [OnceLock<Result<Client, String>>; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    OpenInternet,
    Anywhere,
}

impl Default for Fetch {
    fn default() -> Self {
        Fetch::new()
    }
}

impl Fetch {
    pub fn new() -> Self {
        let spec = describe::<Input>("fetch", Effects::None, Risk::High);
        Fetch { spec, clients: Default::default() }
    }

    fn client(&self, reach: Reach) -> Result<&Client, String> {
        let client = self.clients[reach as usize].get_or_init(|| {
            let built = Client::builder()
                .connect_timeout(CONNECT)
                // What a person allowed or blocked is an address, and not where it leads.
                .redirect(redirect::Policy::none())
                // Where a proxy leads to cannot be checked.
                .no_proxy()
                .user_agent(concat!("coterie/", env!("CARGO_PKG_VERSION")))
                .dns_resolver(Arc::new(Names(reach)))
                .build();
            built.map_err(|error| format!("nothing can be fetched: {error}"))
        });
        client.as_ref().map_err(Clone::clone)
    }

    async fn fetch(&self, url: &str, place: &Place) -> Result<String, String> {
        let url = address(url, place)?;
        let client = self.client(reach(&url, place))?;
        let response = client.get(url.clone()).header(ACCEPT, TAKEN).send().await;
        let response = response.map_err(|error| unreachable(&url, error))?;
        let status = response.status();
        if status.is_redirection() {
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            return Err(match to.and_then(|to| url.join(to).ok()) {
                Some(to) => format!("{url} leads on to {to}; fetch that if it is what you want"),
                None => format!("{url} leads on to nowhere"),
            });
        }
        if !status.is_success() {
            return Err(format!("{url} answers {status}"));
        }
        read(&url, response).await
    }
}

#[async_trait]
impl Tool for Fetch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn stakes(&self, arguments: &Value, place: &Place) -> Result<Stakes, String> {
        let url = arguments.get("url").and_then(Value::as_str).unwrap_or_default();
        let url = address(url, place)?;
        let like = Some(format!("{}/*", url.origin().ascii_serialization()));
        let (risk, target) = (self.spec.risk, Some(url.to_string()));
        Ok(Stakes { risk, target, like, given: Some(spelled_out(&url)), ..Stakes::default() })
    }

    async fn call(&self, arguments: Value, with: &CallContext) -> Returned {
        let wanted: Input = match input(arguments) {
            Ok(input) => input,
            Err(refusal) => return refusal,
        };
        let fetching = timeout(WHOLE, self.fetch(&wanted.url, &with.place));
        tokio::select! {
            biased;
            () = with.stop.cancelled() => Returned::stopped(),
            fetched = fetching => match fetched {
                Ok(Ok(text)) => Returned::ok(text).foreign(),
                Ok(Err(why)) => Returned::failed(why).foreign(),
                Err(_) => Returned::failed(format!("{} took longer than a minute", wanted.url)),
            },
        }
    }
}

/// An address that may be asked, or why it may not.
fn address(url: &str, place: &Place) -> Result<Url, String> {
    let no = |why: &str| Err(format!("`{}` was not fetched: {why}", clipped(url)));
    let Ok(mut parsed) = Url::parse(url.trim()) else {
        return no("it is no whole address; give it with https://");
    };
    if !matches!(parsed.scheme(), "http" | "https") {
        return no("only http:// and https:// addresses can be fetched");
    }
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return no("it holds a name or a password, which go nowhere");
    }
    if climbs(&parsed) {
        return no("its path hides a `..`, which servers read in different ways; give it without");
    }
    parsed.set_fragment(None);
    // With a dot at its end it is the same host under another name.
    if let Some(host) = parsed.host_str().and_then(|host| host.strip_suffix('.')) {
        let host = host.to_owned();
        if parsed.set_host(Some(&host)).is_err() {
            return no("its host is no name");
        }
    }
    if reach(&parsed, place) == Reach::OpenInternet && is_near(&parsed) {
        return no(NEAR);
    }
    Ok(parsed)
}

/// Whether a server may read a `..` in its path where nobody else sees one: behind a slash that
/// is written as a number, once or twice, behind one that leans the other way, or before what
/// some leave out.
fn climbs(url: &Url) -> bool {
    let mut path = url.path().to_owned();
    for _ in 0..3 {
        let mut parts = path.split(['/', '\\']);
        if parts.any(|part| part.split(';').next().is_some_and(|name| name.trim() == "..")) {
            return true;
        }
        path = percent_decode_str(&path).decode_utf8_lossy().into_owned();
    }
    false
}

/// The address as most servers read it: letters that were written as numbers are letters, and
/// a path has no empty parts.
fn spelled_out(url: &Url) -> String {
    let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let path = plain(url.path());
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    if path.ends_with('/') && !parts.is_empty() {
        parts.push("");
    }
    let query = url.query().map(|query| format!("?{}", plain(query))).unwrap_or_default();
    format!("{}/{}{query}", url.origin().ascii_serialization(), parts.join("/"))
}

const NEAR: &str = "it leads to this machine or the network around it, not to the open internet; a person can let it through in Settings";

/// A host given as a number never goes through a look-up.
fn is_near(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let number = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    match number {
        Ok(number) => !is_open(number),
        Err(_) => host.is_empty() || host == "localhost" || host.ends_with(".localhost"),
    }
}

fn reach(url: &Url, place: &Place) -> Reach {
    let let_through = |near: &String| names(near, url);
    if place.near_hosts.iter().any(let_through) { Reach::Anywhere } else { Reach::OpenInternet }
}

/// By its host alone, or with the port.
fn names(near: &str, url: &Url) -> bool {
    let near = near.to_lowercase();
    let host = url.host_str().unwrap_or_default().to_lowercase();
    near == host || near == format!("{host}:{}", url.port_or_known_default().unwrap_or_default())
}

/// Whether a text can let one through: not an address, a range or a pattern.
#[must_use]
pub fn names_a_host(near: &str) -> bool {
    let is_of_a_host = |sign: char| sign.is_alphanumeric() || "-_.:[]".contains(sign);
    let url = Url::parse(&format!("http://{near}/"));
    near.chars().all(is_of_a_host) && url.is_ok_and(|url| names(near, &url))
}

async fn read(url: &Url, mut response: Response) -> Result<String, String> {
    let headers = response.headers().clone();
    let kind = header(&headers, CONTENT_TYPE.as_str());
    if !page::is_text(&kind) {
        let size = header(&headers, CONTENT_LENGTH.as_str());
        let size = if size.is_empty() { String::new() } else { format!(", {size} bytes") };
        return Err(format!("{url} is no text but {}{size}", clipped(&kind)));
    }
    let mut body = Vec::new();
    let mut cut = false;
    while let Some(chunk) = response.chunk().await.map_err(|error| unreachable(url, error))? {
        let room = MOST_BYTES - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() > room {
            cut = true;
            break;
        }
    }
    let shown = url.clone();
    // Large pages take their time to be read.
    let text = tokio::task::spawn_blocking(move || page::text(&body, &kind, &shown)).await;
    let mut text = text.map_err(|_| format!("{url} cannot be read"))?;
    if cut {
        text.push_str(&format!("\n[cut off after {MOST_BYTES} bytes]"));
    }
    Ok(text)
}

fn header(headers: &HeaderMap, name: &str) -> String {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

fn unreachable(url: &Url, error: reqwest::Error) -> String {
    let is_timeout = error.is_timeout();
    let error = error.without_url();
    let mut innermost: &dyn Error = &error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    match innermost.to_string() {
        _ if is_timeout => format!("{url} does not answer"),
        why if why == addresses::NOTHING_OPEN => format!("`{url}` was not fetched: {NEAR}"),
        why => format!("{url} cannot be fetched: {why}"),
    }
}

fn clipped(text: &str) -> String {
    text.chars().take(300).collect()
}

#[cfg(test)]
mod tests;
