//! Anthropic's Messages, and servers that speak them.
//!
//! `request` and `messages` say the question, `reading` understands the answer.
//! What a model thought before it called a tool is signed, and has to be sent
//! back unchanged with the results (`crate::kept`). `quirks` knows what models
//! of different ages take, `schema` which part of JSON Schema they hold an
//! answer to.

mod messages;
mod models;
mod quirks;
mod reading;
mod request;
mod schema;
mod usage;

pub use models::list_models;
pub use reading::Reading;

use crate::form::{Form, Forms};
use crate::http::{self, Endpoint, Http, Manner, Path};
use crate::{Delta, Model, ModelFault, ModelRequest, Trouble, Turn, history};
use futures::stream::BoxStream;
use request::Body;

const MANNER: Manner = Manner {
    key_header: "x-api-key",
    key_prefix: "",
    headers: &[("anthropic-version", "2023-06-01")],
    address_ends: "/v1",
};

const FORMS: &[Form] = &[Form::Schema, Form::Words];

const MESSAGES: Path = Path::of(&["messages"]);

/// One server and how to reach it. Cheap to make: the connections live in [`Http`].
pub struct Anthropic {
    http: Http,
    endpoint: Endpoint,
    forms: Forms,
}

impl Anthropic {
    pub fn new(http: Http, endpoint: Endpoint) -> Self {
        Anthropic { http, endpoint: endpoint.spoken_to(MANNER), forms: Forms::default() }
    }
}

impl Model for Anthropic {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        let (http, endpoint) = (self.http.clone(), self.endpoint.clone());
        self.forms.held(FORMS, request, move |request, _| {
            http::answering(open(http.clone(), endpoint.clone(), request))
        })
    }
}

/// Sends the question and comes back when the answer begins.
async fn open(
    http: Http,
    endpoint: Endpoint,
    request: ModelRequest,
) -> Result<BoxStream<'static, Delta>, ModelFault> {
    let turns = history::sent(&request.turns);
    let ask = async |turns: &[Turn]| {
        let body = Body::new(&request, turns);
        let reading = Reading::new(endpoint.asked(&request.model));
        http.ask(&endpoint, &MESSAGES, &body, reading, &request.model).await
    };
    match ask(&turns).await {
        // Newer models take their thinking back only behind the very words they
        // thought it after, and those may have been shortened since.
        Err(fault) if is_about_thinking(&fault) && turns.iter().any(|turn| turn.kept.is_some()) => {
            let forgetful: Vec<Turn> =
                turns.iter().map(|turn| turn.clone().keeping(None)).collect();
            ask(&forgetful).await
        }
        answer => answer,
    }
}

fn is_about_thinking(fault: &ModelFault) -> bool {
    let about = |word| fault.message.contains(word);
    fault.trouble == Trouble::Refused && (about("thinking") || about("signature"))
}
