//! A model that is asked only when it is the run's turn to ask.
//!
//! A permit is held for one call of the model and never across a tool or a
//! child, so that nobody waits for somebody who waits for a permit.

use crate::shared::Shared;
use futures::stream::{self, BoxStream, StreamExt};
use llm::{Delta, Model, ModelFault, ModelRequest, Trouble};
use std::sync::Arc;

pub(crate) struct Metered {
    pub shared: Arc<Shared>,
    pub model: Arc<dyn Model>,
}

impl Model for Metered {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        let (shared, model) = (self.shared.clone(), self.model.clone());
        let asked = async move {
            match shared.permits.clone().acquire_owned().await {
                // Ends with the stream.
                Ok(permit) => model
                    .ask(request)
                    .map(move |delta| {
                        let _held = &permit;
                        delta
                    })
                    .boxed(),
                Err(_) => stream::iter([Delta::failed(closed())]).boxed(),
            }
        };
        stream::once(asked).flatten().boxed()
    }
}

fn closed() -> ModelFault {
    ModelFault::new(Trouble::BrokenAnswer, "the workspace is closing", "try again")
}
