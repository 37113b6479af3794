//! Ollama in its own words.
//!
//! Its OpenAI door cannot be told how much a model may read, and then reads a
//! few thousand tokens and drops the beginning without a word. Here every
//! question says `num_ctx`, asks not to be cut, and the count of what was read
//! is held against our own.

mod estimate;
mod messages;
mod models;
mod reading;
mod request;
mod vectors;

pub use models::{Installed, installed, list_models, list_within};
pub use reading::Reading;
pub use vectors::{list_vector_models, vectors};

use crate::form::{Form, Forms};
use crate::http::{self, Endpoint, Http, Manner, Path};
use crate::thoughts::Opened;
use crate::{Delta, Model, ModelFault, ModelRequest, history};
use futures::stream::BoxStream;
use request::Body;
use std::collections::HashMap;
use std::sync::Arc;

const FORMS: &[Form] = &[Form::Schema, Form::Words];

const CHAT: Path = Path::of(&["api", "chat"]);

/// What a model may read where nobody has said it.
pub const USUAL_WINDOW: u32 = 8192;

/// One server and how to reach it. Cheap to make: the connections live in [`Http`].
pub struct Ollama {
    http: Http,
    endpoint: Endpoint,
    windows: Arc<HashMap<String, u32>>,
    forms: Forms,
    opened: Opened,
}

impl Ollama {
    /// `windows` says how many tokens each model may read and write together.
    pub fn new(http: Http, endpoint: Endpoint, windows: HashMap<String, u32>) -> Self {
        let windows = Arc::new(windows);
        let (forms, opened) = (Forms::default(), Opened::default());
        Ollama { http, endpoint: root(endpoint), windows, forms, opened }
    }
}

/// The address above both of its doors, whichever was given.
fn root(endpoint: Endpoint) -> Endpoint {
    let manner = Manner { address_ends: ":11434", ..Manner::default() };
    endpoint.spoken_to(manner).without("/v1").without("/api")
}

impl Model for Ollama {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        let window = self.windows.get(&request.model).copied().unwrap_or(USUAL_WINDOW);
        let (http, endpoint, opened) =
            (self.http.clone(), self.endpoint.clone(), self.opened.clone());
        self.forms.held(FORMS, request, move |request, _| {
            let opened = opened.clone();
            http::answering(open(http.clone(), endpoint.clone(), opened, window, request))
        })
    }
}

/// Sends the question and comes back when the answer begins.
async fn open(
    http: Http,
    endpoint: Endpoint,
    opened: Opened,
    window: u32,
    request: ModelRequest,
) -> Result<BoxStream<'static, Delta>, ModelFault> {
    let turns = history::sent(&request.turns);
    let body = Body::new(&request, &turns, window);
    let reading = Reading::new(endpoint.asked(&request.model))
        .knowing(opened)
        .expecting(estimate::least_tokens(&turns));
    http.ask(&endpoint, &CHAT, &body, reading, &request.model).await
}
