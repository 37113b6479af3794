//! Any server that speaks OpenAI's chat completions.
//!
//! `request` says the question in the server's words, `reading` understands
//! the answer; the connection, the frames and the refusals are those of
//! `crate::http`. What servers do differently stands in tables: `quirks` for
//! what they want to be asked, `calls` for how they stream tool calls; what a model
//! refuses beyond that is `untaken`.
//! `messages` puts calls and results into the history, and what `details` kept.

mod calls;
mod details;
mod messages;
mod models;
mod plain;
pub(crate) mod quirks;
mod reading;
mod request;
mod schema;
mod untaken;
mod usage;
mod vectors;

pub use crate::http::{Asked, Endpoint, Http, Key, decode};
pub use models::{Listed, list_models, list_with_prices};
pub use reading::Reading;
pub use vectors::{list_vector_models, vectors};

use crate::form::{Form, Forms};
use crate::http::{self, Path};
use crate::thoughts::Opened;
use crate::{Delta, Model, ModelFault, ModelRequest, history};
use futures::stream::BoxStream;
use request::Body;
use untaken::Untaken;

/// One server and how to reach it. Cheap to make: the connections live in [`Http`].
pub struct OpenAi {
    http: Http,
    endpoint: Endpoint,
    forms: Forms,
    learned: Learned,
}

/// What the answers of the server's models told of them.
#[derive(Clone, Default)]
struct Learned {
    opened: Opened,
    untaken: Untaken,
}

impl OpenAi {
    pub fn new(http: Http, endpoint: Endpoint) -> Self {
        OpenAi { http, endpoint, forms: Forms::default(), learned: Learned::default() }
    }
}

const FORMS: &[Form] = &[Form::Schema, Form::Json, Form::Words];

const PATH: Path = Path::of(&["chat", "completions"]);

impl Model for OpenAi {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        let (http, endpoint) = (self.http.clone(), self.endpoint.clone());
        let learned = self.learned.clone();
        self.forms.held(FORMS, request, move |request, form| {
            http::answering(open(http.clone(), endpoint.clone(), learned.clone(), request, form))
        })
    }
}

/// Sends the question and comes back when the answer begins.
async fn open(
    http: Http,
    endpoint: Endpoint,
    learned: Learned,
    request: ModelRequest,
    form: Form,
) -> Result<BoxStream<'static, Delta>, ModelFault> {
    let Learned { opened, untaken } = learned;
    let model = &request.model;
    let usual = || quirks::of(endpoint.name(), endpoint.host(), model);
    let first = untaken.known(model).unwrap_or_else(usual);
    let turns = history::sent(&request.turns);
    let mut quirks = first;
    loop {
        let spoken = if quirks.system { None } else { Some(history::without_system(&turns)) };
        let body = Body::new(&request, spoken.as_deref().unwrap_or(&turns), quirks, form);
        let reading = Reading::new(endpoint.asked(model)).knowing(opened.clone());
        let reading = if quirks.thought { reading.keeping_thoughts() } else { reading };
        match http.ask(&endpoint, &PATH, &body, reading, model).await {
            Ok(answer) => {
                if quirks != first {
                    untaken.note(model, quirks);
                }
                return Ok(answer);
            }
            Err(fault) => {
                quirks = untaken::without_what_it_names(&fault, quirks, first).ok_or(fault)?;
            }
        }
    }
}
