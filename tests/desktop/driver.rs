//! One session of WebDriver, as far as these stories need it.
//!
//! WebKitWebDriver speaks JSON over HTTP; this sends it and reads it back.
//! Knows no Coterie.

use anyhow::{Context, Result, bail};
use base64::Engine;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// How the protocol marks a reference to an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A driver that lost its window says nothing at all.
const LONGEST_ANSWER: Duration = Duration::from_secs(30);

pub(crate) struct Session {
    http: reqwest::Client,
    root: String,
}

/// A reference to something on the page.
#[derive(Clone)]
pub(crate) struct Element(String);

/// Whether a driver listens at this port yet.
pub(crate) async fn is_ready(port: u16) -> bool {
    let status = reqwest::get(format!("http://127.0.0.1:{port}/status")).await;
    status.is_ok_and(|status| status.status().is_success())
}

impl Session {
    /// Has the driver start the program and takes hold of its window.
    pub(crate) async fn new(port: u16, program: &Path, arguments: &[String]) -> Result<Session> {
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "webkitgtk:browserOptions": {"binary": program, "args": arguments}
        }}});
        let server = format!("http://127.0.0.1:{port}");
        let nowhere = Session { http: client()?, root: server.clone() };
        let session = nowhere.post("/session", &capabilities).await?;
        let id = session["sessionId"].as_str().context("a session has an id")?;
        Ok(Session { root: format!("{server}/session/{id}"), ..nowhere })
    }

    /// The same session over connections of its own, for use on another runtime.
    pub(crate) fn again(&self) -> Result<Session> {
        Ok(Session { http: client()?, root: self.root.clone() })
    }

    /// Runs a function body in the page and gives what it returns.
    pub(crate) async fn run(&self, script: &str, arguments: &[Value]) -> Result<Value> {
        self.post("/execute/sync", &json!({"script": script, "args": arguments})).await
    }

    /// The first element that fits, if there is one.
    pub(crate) async fn find(&self, css: &str) -> Result<Option<Element>> {
        let body = json!({"using": "css selector", "value": css});
        let found = self.post("/elements", &body).await?;
        Ok(found[0][ELEMENT].as_str().map(|id| Element(id.to_owned())))
    }

    /// Fails while the element is hidden or covered.
    pub(crate) async fn click(&self, element: &Element) -> Result<()> {
        self.post(&format!("/element/{}/click", element.0), &json!({})).await.map(drop)
    }

    /// Types at the end of what stands in the element.
    pub(crate) async fn keys(&self, element: &Element, text: &str) -> Result<()> {
        let path = format!("/element/{}/value", element.0);
        self.post(&path, &json!({"text": text})).await.map(drop)
    }

    /// Input devices, moved as the protocol describes it.
    pub(crate) async fn actions(&self, devices: Value) -> Result<()> {
        self.post("/actions", &json!({"actions": devices})).await.map(drop)
    }

    pub(crate) async fn resize(&self, width: u32, height: u32) -> Result<()> {
        self.post("/window/rect", &json!({"width": width, "height": height})).await.map(drop)
    }

    /// The page as a PNG.
    pub(crate) async fn screenshot(&self) -> Result<Vec<u8>> {
        let picture = self.http.get(format!("{}/screenshot", self.root)).send().await?;
        let picture = value(picture).await?;
        let text = picture.as_str().context("a picture is text")?;
        Ok(base64::engine::general_purpose::STANDARD.decode(text)?)
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let sent = self.http.post(format!("{}{path}", self.root)).json(body).send();
        value(sent.await?).await
    }
}

fn client() -> Result<reqwest::Client> {
    Ok(reqwest::Client::builder().timeout(LONGEST_ANSWER).build()?)
}

async fn value(response: reqwest::Response) -> Result<Value> {
    let mut said: Value = response.json().await?;
    let value = said["value"].take();
    match value["error"].as_str() {
        Some(error) => bail!("{error}: {}", value["message"].as_str().unwrap_or_default()),
        None => Ok(value),
    }
}
