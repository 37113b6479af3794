//! What every provider that is reached over HTTP shares.
//!
//! `connection` carries questions, `endpoint` says where to and with which key,
//! `events` and `lines` divide the bytes of an answer, `answer` and `decode`
//! turn those into deltas with a provider's own reading in between, `lenient` reads
//! what is nearly JSON, `refusal` turns a no into a fault, and `retry_after` finds
//! the pause that it names.
//! Nothing here knows a provider's words, and nothing retries.

mod answer;
mod broken;
mod connection;
mod decode;
mod endpoint;
mod events;
mod lenient;
mod lines;
mod refusal;
mod retry_after;
mod said;

pub use answer::{Heard, Reads};
pub use broken::Broken;
pub use connection::Http;
pub use decode::{Patience, decode};
pub use endpoint::{Endpoint, Key};
pub use events::{Event, Frames};
pub use refusal::Asked;

pub(crate) use answer::{Answer, Opened, count, later, letters};
pub(crate) use endpoint::{Manner, Path};
pub(crate) use said::Said;

use crate::{Delta, ModelFault};
use futures::future;
use futures::stream::{self, BoxStream, StreamExt};

/// An answer that perhaps never begins, as a stream.
pub(crate) fn answering(
    answer: impl Future<Output = Result<BoxStream<'static, Delta>, ModelFault>> + Send + 'static,
) -> BoxStream<'static, Delta> {
    stream::once(answer)
        .flat_map(|opened| match opened {
            Ok(deltas) => deltas,
            Err(fault) => stream::once(future::ready(Delta::failed(fault))).boxed(),
        })
        .boxed()
}
