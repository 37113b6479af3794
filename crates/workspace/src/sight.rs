//! Models that read no pictures: which they are, and what they are sent.
//!
//! Few providers say of a model whether it sees, and it may change with what
//! serves it. So a model is shown pictures until it is refused for them; then
//! it is asked again at once without, and from then on for as long as this
//! process lasts. In a group of several models each reads what it can.

use crate::brief::{Sight, without_pictures};
use crate::shared::Shared;
use domain::{FaultKind, ModelTrouble};
use futures::stream::{self, BoxStream, StreamExt};
use llm::{Delta, Model, ModelFault, ModelRequest};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Models that have refused a picture, as `provider/model`.
#[derive(Default)]
pub(crate) struct Blind(Mutex<HashSet<String>>);

impl Blind {
    pub(crate) fn sight_of(&self, model: &str) -> Sight {
        if self.all().contains(model) { Sight::Blind } else { Sight::Sees }
    }

    fn add(&self, model: &str) {
        self.all().insert(model.to_owned());
    }

    fn all(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A model that is asked without pictures where it reads none.
pub(crate) struct Seeing {
    shared: Arc<Shared>,
    /// `provider/model`.
    name: String,
    model: Arc<dyn Model>,
}

impl Seeing {
    pub(crate) fn over(shared: &Arc<Shared>, name: &str, model: Arc<dyn Model>) -> Arc<dyn Model> {
        Arc::new(Seeing { shared: shared.clone(), name: name.to_owned(), model })
    }
}

impl Model for Seeing {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        if request.turns.iter().all(|turn| turn.images.is_empty()) {
            return self.model.ask(request);
        }
        let mut blind = request.clone();
        without_pictures(&mut blind.turns);
        if self.shared.blind.sight_of(&self.name) == Sight::Blind {
            return self.model.ask(blind);
        }
        let (shared, name, model) = (self.shared.clone(), self.name.clone(), self.model.clone());
        let asked = async move {
            let mut answer = model.ask(request);
            match answer.next().await {
                Some(Delta::Failed { fault, .. }) if is_for_a_picture(&fault) => {
                    shared.blind.add(&name);
                    model.ask(blind)
                }
                first => stream::iter(first).chain(answer).boxed(),
            }
        };
        stream::once(asked).flatten().boxed()
    }
}

fn is_for_a_picture(fault: &ModelFault) -> bool {
    let no_sight = FaultKind::Model { trouble: ModelTrouble::NoSight };
    fault.kind.as_deref() == Some(&no_sight)
}
