//! Models that read no pictures, or not all: which, and what they are sent.
//!
//! Few providers say of a model whether it sees, and it may change with what
//! serves it. So a model is shown pictures until it refuses a question that has
//! some; then it is asked again at once without. Who says that it reads no
//! pictures is shown none from then on, for as long as this process lasts. For
//! any other reason, and if the question was taken without them, those pictures
//! stay away that this model has never taken: one that is damaged or too large
//! would have every later question refused as well. In a group of several models
//! each reads what it can.

use crate::brief::{Sight, without_pictures, without_refused};
use crate::shared::Shared;
use domain::{FaultKind, ModelTrouble};
use futures::stream::{self, BoxStream, StreamExt};
use llm::{Delta, Image, Model, ModelFault, ModelRequest, Trouble};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What models have said to pictures, by `provider/model`.
#[derive(Default)]
pub(crate) struct Blind(Mutex<HashMap<String, Known>>);

/// Of one model. Pictures go by the hash of what is sent of them.
#[derive(Default)]
struct Known {
    is_blind: bool,
    taken: HashSet<blake3::Hash>,
    refused: HashSet<blake3::Hash>,
}

impl Blind {
    pub(crate) fn sight_of(&self, model: &str) -> Sight {
        let is_blind = self.all().get(model).is_some_and(|known| known.is_blind);
        if is_blind { Sight::Blind } else { Sight::Sees }
    }

    fn add(&self, model: &str) {
        self.all().entry(model.to_owned()).or_default().is_blind = true;
    }

    fn takes(&self, model: &str, pictures: Vec<blake3::Hash>) {
        self.all().entry(model.to_owned()).or_default().taken.extend(pictures);
    }

    /// One that was taken before is not what it was refused for now.
    fn refuses(&self, model: &str, pictures: Vec<blake3::Hash>) {
        let mut all = self.all();
        let known = all.entry(model.to_owned()).or_default();
        let new = pictures.into_iter().filter(|picture| !known.taken.contains(picture));
        known.refused.extend(new);
    }

    fn refused(&self, model: &str) -> HashSet<blake3::Hash> {
        self.all().get(model).map(|known| known.refused.clone()).unwrap_or_default()
    }

    fn all(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A model that is asked without the pictures that it does not read.
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
    fn ask(&self, mut request: ModelRequest) -> BoxStream<'static, Delta> {
        if !shows_some(&request) {
            return self.model.ask(request);
        }
        let mut blind = request.clone();
        without_pictures(&mut blind.turns);
        if self.shared.blind.sight_of(&self.name) == Sight::Blind {
            return self.model.ask(blind);
        }
        let refused = self.shared.blind.refused(&self.name);
        if !refused.is_empty() {
            without_refused(&mut request.turns, |image| refused.contains(&hash(image)));
        }
        if !shows_some(&request) {
            return self.model.ask(request);
        }
        let (shared, name, model) = (self.shared.clone(), self.name.clone(), self.model.clone());
        let asked = async move {
            let images = request.turns.iter().flat_map(|turn| &turn.images);
            let pictures = images.map(hash).collect();
            let mut answer = model.ask(request);
            match answer.next().await {
                Some(Delta::Failed { fault, .. }) if is_for_all_pictures(&fault) => {
                    shared.blind.add(&name);
                    model.ask(blind)
                }
                // Nobody knows what a picture counts there.
                Some(Delta::Failed { fault, .. }) if fault.trouble == Trouble::TooLong => {
                    model.ask(blind)
                }
                Some(Delta::Failed { fault, usage }) if may_be_for_a_picture(&fault) => {
                    let mut answer = model.ask(blind);
                    let first = match answer.next().await {
                        // So it was not for the pictures.
                        Some(Delta::Failed { fault: again, usage: more })
                            if again.trouble == Trouble::Refused =>
                        {
                            Some(Delta::Failed { fault, usage: usage.plus(more) })
                        }
                        failed @ Some(Delta::Failed { .. }) => failed,
                        first => {
                            shared.blind.refuses(&name, pictures);
                            first
                        }
                    };
                    stream::iter(first).chain(answer).boxed()
                }
                first => {
                    if !matches!(first, None | Some(Delta::Failed { .. })) {
                        shared.blind.takes(&name, pictures);
                    }
                    stream::iter(first).chain(answer).boxed()
                }
            }
        };
        stream::once(asked).flatten().boxed()
    }
}

fn shows_some(request: &ModelRequest) -> bool {
    request.turns.iter().any(|turn| !turn.images.is_empty())
}

fn hash(image: &Image) -> blake3::Hash {
    blake3::hash(image.base64.as_bytes())
}

fn is_for_all_pictures(fault: &ModelFault) -> bool {
    let no_sight = FaultKind::Model { trouble: ModelTrouble::NoSight };
    fault.kind.as_deref() == Some(&no_sight)
}

/// Providers have too many words for it to know them all. What is known to be
/// for something else, such as a credit that is used up, has its kind.
fn may_be_for_a_picture(fault: &ModelFault) -> bool {
    fault.trouble == Trouble::Refused && fault.kind.is_none()
}
