//! Any server that speaks OpenAI's chat completions.
//!
//! `request` says the question in the server's words, `http` carries it,
//! `decode` turns the bytes of the answer into deltas, `refusal` turns a no
//! into a fault. What servers do differently stands in tables: `quirks` for
//! what they want to be asked, `refusal` for how they say no, `calls` for how
//! they stream tool calls. `messages` puts calls and results into the history.
//! Nothing here retries.

mod broken;
mod calls;
mod decode;
mod endpoint;
mod events;
mod http;
mod messages;
mod models;
mod quirks;
mod reading;
mod refusal;
mod request;
mod retry_after;
mod usage;

pub use decode::decode;
pub use endpoint::{Endpoint, Key};
pub use http::Http;
pub use models::list_models;
pub use reading::Reading;
pub use refusal::Asked;

use crate::{Delta, Model, ModelFault, ModelRequest, history};
use futures::future;
use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};
use request::Body;

/// One server and how to reach it. Cheap to make: the connections live in [`Http`].
pub struct OpenAi {
    http: Http,
    endpoint: Endpoint,
}

impl OpenAi {
    pub fn new(http: Http, endpoint: Endpoint) -> Self {
        OpenAi { http, endpoint }
    }
}

impl Model for OpenAi {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        let answer = open(self.http.clone(), self.endpoint.clone(), request);
        stream::once(answer)
            .flat_map(|opened| match opened {
                Ok(deltas) => deltas,
                Err(fault) => stream::once(future::ready(Delta::failed(fault))).boxed(),
            })
            .boxed()
    }
}

/// Sends the question and comes back when the answer begins.
async fn open(
    http: Http,
    endpoint: Endpoint,
    request: ModelRequest,
) -> Result<BoxStream<'static, Delta>, ModelFault> {
    let quirks = endpoint.quirks(&request.model);
    let turns = history::paired(&request.turns);
    let body = Body::new(&request, &turns, quirks);
    let response = http.post(&endpoint, &request.model, &body).await?;
    let reading = Reading::new(endpoint.asked(&request.model));
    let body = response.bytes_stream().map_err(|error| http::cause(&error));
    Ok(decode(body, reading, endpoint.idle()).boxed())
}
