//! Google's Gemini in its own words.
//!
//! `request` and `contents` say the question, `reading` understands the answer.
//! What a model thought is sealed on the parts that came of it, and the seals
//! have to be sent back on the same parts (`crate::kept`). `schema` says a JSON
//! Schema in the part of OpenAPI that is taken.

mod contents;
mod models;
mod quirks;
mod reading;
mod request;
mod schema;
mod vectors;

pub use models::list_models;
pub use reading::Reading;
pub use vectors::{list_vector_models, vectors};

use crate::form::{Form, Forms};
use crate::http::{self, Endpoint, Http, Manner, Path};
use crate::{Delta, Model, ModelFault, ModelRequest, history};
use futures::stream::BoxStream;
use request::Body;

const MANNER: Manner =
    Manner { key_header: "x-goog-api-key", key_prefix: "", headers: &[], address_ends: "/v1beta" };

const FORMS: &[Form] = &[Form::Schema, Form::Words];

/// One server and how to reach it. Cheap to make: the connections live in [`Http`].
pub struct Gemini {
    http: Http,
    endpoint: Endpoint,
    forms: Forms,
}

impl Gemini {
    pub fn new(http: Http, endpoint: Endpoint) -> Self {
        Gemini { http, endpoint: root(endpoint), forms: Forms::default() }
    }
}

/// The address above both of its doors, whichever was given.
fn root(endpoint: Endpoint) -> Endpoint {
    endpoint.spoken_to(MANNER).without("/openai")
}

impl Model for Gemini {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        let (http, endpoint) = (self.http.clone(), self.endpoint.clone());
        self.forms.held(FORMS, request, move |request, _| {
            http::answering(open(http.clone(), endpoint.clone(), request))
        })
    }
}

/// Models tuned by somebody have a folder of their own.
fn named(model: &str) -> String {
    if model.contains('/') { model.to_owned() } else { format!("models/{model}") }
}

/// Sends the question and comes back when the answer begins.
async fn open(
    http: Http,
    endpoint: Endpoint,
    request: ModelRequest,
) -> Result<BoxStream<'static, Delta>, ModelFault> {
    let model = &request.model;
    let turns = history::sent(&request.turns);
    let body = Body::new(&request, &turns);
    let reading = Reading::new(endpoint.asked(model));
    let method = format!("{}:streamGenerateContent", named(model));
    let parts: Vec<&str> = method.split('/').collect();
    let path = Path { parts: &parts, query: &[("alt", "sse")] };
    http.ask(&endpoint, &path, &body, reading, model).await
}
