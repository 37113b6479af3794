//! The connections, shared by all providers, and their first troubles.

use super::answer::Reads;
use super::broken::Broken;
use super::decode::decode;
use super::endpoint::{Endpoint, Path};
use super::{refusal, retry_after};
use crate::{Delta, ModelFault, Trouble};
use futures::stream::{BoxStream, StreamExt, TryStreamExt};
use reqwest::{Client, RequestBuilder, Response, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

const CONNECT: Duration = Duration::from_secs(10);
/// For what is no stream: lists, and the text of a refusal.
const WHOLE: Duration = Duration::from_secs(15);
/// For what a model works at: it may have to be loaded first.
const AT_WORK: Duration = Duration::from_secs(120);
const MOST_OF_A_REFUSAL: usize = 64 << 10;
const MOST_OF_A_LIST: usize = 8 << 20;

/// Made once and cloned: it keeps connections open between questions.
#[derive(Clone)]
pub struct Http {
    /// For this machine: past any proxy, and without reading the certificates.
    local: Result<Client, ModelFault>,
    world: Result<Client, ModelFault>,
    now_ms: Arc<dyn Fn() -> i64 + Send + Sync>,
}

impl Http {
    /// `now_ms` is the clock that turns a server's "not before this date" into
    /// a pause. What cannot be set up is reported by the first call that needs it.
    pub fn new(now_ms: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        let local = plain().no_proxy().tls_certs_only([]).build();
        let world = plain().build();
        Http {
            local: local.map_err(|error| no_client(&error)),
            world: world.map_err(|error| no_client(&error)),
            now_ms: Arc::new(now_ms),
        }
    }

    /// Sends a question and comes back when the answer begins. Errors are a
    /// server that cannot be reached and one that says no.
    async fn post(
        &self,
        endpoint: &Endpoint,
        path: &Path<'_>,
        model: &str,
        body: &impl Serialize,
    ) -> Result<Response, ModelFault> {
        let request = self.client(endpoint)?.post(endpoint.at(path)).json(body);
        let idle = endpoint.patience().idle;
        let response = timeout(idle, send(endpoint, request))
            .await
            .map_err(|_| Broken::Silent(idle).fault(&endpoint.asked(model)))??;
        self.accepted(endpoint, model, response).await
    }

    /// Sends a question and comes back with its answer when that begins.
    pub(crate) async fn ask(
        &self,
        endpoint: &Endpoint,
        path: &Path<'_>,
        body: &impl Serialize,
        reading: impl Reads,
        model: &str,
    ) -> Result<BoxStream<'static, Delta>, ModelFault> {
        let response = self.post(endpoint, path, model, body).await?;
        let bytes = response.bytes_stream().map_err(|error| cause(&error));
        Ok(decode(bytes, reading, endpoint.patience()).boxed())
    }

    /// One JSON document from the server.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        endpoint: &Endpoint,
        path: &Path<'_>,
    ) -> Result<T, ModelFault> {
        let request = self.client(endpoint)?.get(endpoint.at(path));
        self.document(endpoint, request).await
    }

    /// A model's whole answer in one JSON document.
    pub(crate) async fn told<T: DeserializeOwned>(
        &self,
        endpoint: &Endpoint,
        path: &Path<'_>,
        model: &str,
        body: &impl Serialize,
    ) -> Result<T, ModelFault> {
        let request = self.client(endpoint)?.post(endpoint.at(path)).json(body);
        let whole = endpoint.patience().whole.min(AT_WORK);
        self.document_of(endpoint, model, request, whole).await
    }

    /// One JSON document from the server, in answer to another.
    pub(crate) async fn look_up<T: DeserializeOwned>(
        &self,
        endpoint: &Endpoint,
        path: &Path<'_>,
        body: &impl Serialize,
    ) -> Result<T, ModelFault> {
        let request = self.client(endpoint)?.post(endpoint.at(path)).json(body);
        self.document(endpoint, request).await
    }

    async fn document<T: DeserializeOwned>(
        &self,
        endpoint: &Endpoint,
        request: RequestBuilder,
    ) -> Result<T, ModelFault> {
        self.document_of(endpoint, "", request, WHOLE).await
    }

    async fn document_of<T: DeserializeOwned>(
        &self,
        endpoint: &Endpoint,
        model: &str,
        request: RequestBuilder,
        whole: Duration,
    ) -> Result<T, ModelFault> {
        let broken = |broken: Broken| broken.fault(&endpoint.asked(model));
        let all = async {
            let response = send(endpoint, request).await?;
            let response = self.accepted(endpoint, model, response).await?;
            let body = read(response, MOST_OF_A_LIST).await.map_err(broken)?;
            if body.trim_ascii_start().starts_with(b"<") {
                return Err(broken(Broken::WebPage));
            }
            serde_json::from_slice(&body)
                .map_err(|error| broken(Broken::Garbled(error.to_string())))
        };
        timeout(whole, all).await.unwrap_or_else(|_| Err(broken(Broken::Silent(whole))))
    }

    fn client(&self, endpoint: &Endpoint) -> Result<&Client, ModelFault> {
        let client = if endpoint.is_local() { &self.local } else { &self.world };
        client.as_ref().map_err(Clone::clone)
    }

    async fn accepted(
        &self,
        endpoint: &Endpoint,
        model: &str,
        response: Response,
    ) -> Result<Response, ModelFault> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let headers = response.headers().clone();
        // What it says is welcome and not worth waiting for.
        let body =
            timeout(WHOLE.min(endpoint.patience().idle), read(response, MOST_OF_A_REFUSAL)).await;
        let body = body.ok().and_then(Result::ok).unwrap_or_default();
        let pause =
            retry_after::retry_after(&headers, &String::from_utf8_lossy(&body), (self.now_ms)());
        Err(refusal::in_status(&endpoint.asked(model), status.as_u16(), pause, &body))
    }
}

/// The innermost reason, which is the one that says something.
fn cause(error: &reqwest::Error) -> String {
    let mut innermost: &dyn Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let words = innermost.to_string();
    words.split_once(" (os error").map_or(words.as_str(), |(words, _)| words).to_owned()
}

fn plain() -> reqwest::ClientBuilder {
    Client::builder()
        .connect_timeout(CONNECT)
        // A question that is moved elsewhere loses its body on the way.
        .redirect(redirect::Policy::none())
        .user_agent(concat!("coterie/", env!("CARGO_PKG_VERSION")))
}

async fn send(endpoint: &Endpoint, request: RequestBuilder) -> Result<Response, ModelFault> {
    let request = request.headers(endpoint.headers()?);
    request.send().await.map_err(|error| unreachable(endpoint, &error.without_url()))
}

async fn read(mut response: Response, most: usize) -> Result<Vec<u8>, Broken> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await.map_err(|error| Broken::Connection(cause(&error)))? {
            Some(chunk) if body.len() + chunk.len() > most => return Err(Broken::TooBig(most)),
            Some(chunk) => body.extend_from_slice(&chunk),
            None => return Ok(body),
        }
    }
}

fn unreachable(endpoint: &Endpoint, error: &reqwest::Error) -> ModelFault {
    let (name, address) = (endpoint.name(), endpoint.address());
    let message = if error.is_timeout() {
        format!("{name} does not answer at {address}")
    } else {
        format!("{name} cannot be reached at {address}: {}", cause(error))
    };
    let fix = if endpoint.is_local() {
        format!(
            "start {name}, or correct its address in Settings or with \
             coterie provider add {name} --url URL"
        )
    } else {
        format!(
            "check the network connection, and the address of {name} in Settings or with \
             coterie provider list"
        )
    };
    ModelFault::new(Trouble::Unreachable, message, fix)
}

fn no_client(error: &reqwest::Error) -> ModelFault {
    ModelFault::new(
        Trouble::Unreachable,
        format!("no secure connection can be made: {}", cause(error)),
        "install the system's certificates (package ca-certificates)",
    )
}
