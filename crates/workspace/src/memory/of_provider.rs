//! A provider's model as the one that compares meanings.
//!
//! It is sent the text of every memory, in the background, and what somebody looks for,
//! while they wait; where it does not answer, words alone are compared until it does.
//! Nobody's run asks it: what it costs is on the day's account.

use super::embedding::{Again, Embedding, Scale};
use super::meaning::cosine;
use super::rests::Rests;
use crate::served::Served;
use crate::shared::Shared;
use crate::{budget, keys, models, prices, redacted, tokens};
use ::search::Embedder;
use domain::{Fault, FaultCode, FaultKind, Usage};
use llm::{ModelFault, Prefixes, Purpose, Texts, Trouble};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::time::Duration;
use store::table::vector_models::VectorModel;
use store::table::vector_usage::{self, VectorUsage};
use store::table::{memory_vectors, settings, vector_models};
use store::{Durability, Read, StoreError, Write};
use tokio::runtime::Handle;

/// Nobody who looks for something waits longer: words alone find much.
const PATIENCE: Duration = Duration::from_secs(5);
const AT_ONCE: usize = 32;
/// The rest of a longer text says little more of what it is about.
const MOST_CHARACTERS: usize = 6_000;
const MOST_NUMBERS: usize = 8_192;
/// A model that tells texts apart does so by more.
const LEAST_APART: f32 = 0.02;
/// What a cosine lacks across scripts, until the texts themselves say it.
const ACROSS: f32 = 0.03;

/// Questions, each with what answers it and none of the others.
const PAIRS: [(&str, &str); 8] = [
    ("Where does she live?", "Her flat is in the old town of Lisbon, near the river."),
    ("What must he not eat?", "Peanuts make him ill, so keep them out of his food."),
    ("How do I restart the server?", "Run systemctl restart nginx as an administrator."),
    ("When is the meeting?", "We come together every Tuesday morning at nine."),
    ("Which instrument does he play?", "He has practised the violin since he was a child."),
    ("What is the dog called?", "Their terrier answers to the name of Biscuit."),
    ("Why was the flight late?", "Thick fog kept all planes on the ground for hours."),
    ("Who wrote the report?", "Maria put the quarterly figures together by herself."),
];

/// Asks a model that is to compare meanings what its vectors are like. Fails where it
/// makes none.
pub(crate) async fn measured(shared: &Arc<Shared>, model: &str) -> Result<VectorModel, Fault> {
    let (asked, said) =
        PAIRS.map(|(asked, said)| (asked.to_owned(), said.to_owned())).into_iter().unzip();
    let asked = ask(shared, model, Purpose::Query, asked).await.map_err(|refused| refused.fault)?;
    let said = ask(shared, model, Purpose::Passage, said).await.map_err(|refused| refused.fault)?;
    let Scale { unrelated, alike } = scale(&asked, &said);
    let dimensions = asked.first().map_or(0, Vec::len);
    let makes_none = |why: String| {
        let fix = "choose an embedding model, or unset the role to use the one that ships";
        let kind = FaultKind::ModelMakesNoVectors { model: model.to_owned() };
        Err(Fault::new(FaultCode::NoModel, why, fix).of(kind))
    };
    if !(1..=MOST_NUMBERS).contains(&dimensions) {
        return makes_none(format!(
            "the vectors of {model} have {dimensions} numbers, and at most {MOST_NUMBERS} are kept"
        ));
    }
    if alike < unrelated + LEAST_APART {
        return makes_none(format!(
            "the vectors of {model} do not tell texts apart that have nothing to do with each other"
        ));
    }
    Ok(VectorModel { model: model.to_owned(), dimensions, unrelated, alike })
}

/// From the vectors of the questions and of what answers them.
fn scale(asked: &[Vec<f32>], said: &[Vec<f32>]) -> Scale {
    let pairs = asked.len() as f32;
    let all = asked.iter().flat_map(|one| said.iter().map(move |other| cosine(one, other)));
    let alike: f32 = asked.iter().zip(said).map(|(one, other)| cosine(one, other)).sum();
    let unrelated = all.sum::<f32>() - alike;
    Scale { unrelated: unrelated / (pairs * (pairs - 1.0)), alike: alike / pairs }
}

/// Keeps what a model that was just chosen showed of itself, and no longer the vectors of
/// one before it.
pub(crate) fn keep(
    write: &mut Write<'_>,
    shared: &Shared,
    model: &VectorModel,
) -> Result<(), StoreError> {
    vector_models::put(write, model)?;
    let id = id_of(write, model);
    memory_vectors::keep_those_of(write, [&shared.finder.shipped.id, &id])
}

/// Has the model compare meanings that the settings name, and tries one again that could
/// not be used: a key, an address or a choice may be another.
pub(crate) async fn take_up(shared: &Arc<Shared>) -> Result<(), Fault> {
    let chosen = shared.store.read(|read| {
        let Some(model) = settings::get(read)?.models.embedding.clone() else { return Ok(None) };
        let known = vector_models::find(read, &model)?;
        Ok::<_, StoreError>(known.map(|known| (id_of(read, &known), known)))
    })?;
    let embedding = match chosen {
        Some((id, model)) => of_provider(shared, id, model),
        None => shared.finder.shipped.clone(),
    };
    let change = move |shared: &Shared| {
        match shared.finder.embedders.embedding().id == embedding.id {
            true => {
                shared.finder.left_out.clear();
                shared.finder.embedders.try_again();
            }
            false => shared.finder.change(embedding),
        }
        Ok(())
    };
    crate::derived::blocking(shared, change).await?;
    shared.finder.index.changed.notify_one();
    Ok(())
}

/// The same model at another address, or asked in another way, is another one.
fn id_of(read: &Read<'_>, model: &VectorModel) -> String {
    let served = Served::find(read, &model.model).ok();
    let address = served.and_then(|served| served.provider.base_url).unwrap_or_default();
    let Prefixes { query, passage } = Prefixes::of(&model.model);
    let VectorModel { model, dimensions, .. } = model;
    format!("{model} at {address}/{query},{passage}/{dimensions}")
}

fn of_provider(shared: &Arc<Shared>, id: String, model: VectorModel) -> Embedding {
    let VectorModel { dimensions, unrelated, alike, .. } = model;
    let (with, handle) = (Arc::downgrade(shared), Handle::current());
    let (rests, most) = (Arc::new(Rests::default()), Arc::new(AtomicUsize::new(AT_ONCE)));
    let pause = {
        let (rests, with) = (rests.clone(), with.clone());
        move || rests.next(with.upgrade().map_or(0, |shared| (shared.chance)()))
    };
    let asked = OfProvider { shared: with, handle, id: id.clone(), model, rests, most };
    Embedding {
        id,
        dimensions,
        across: |_| ACROSS,
        scale: Scale { unrelated, alike },
        // Nothing is loaded here.
        load: Arc::new(move || Ok(Box::new(asked.clone()))),
        again: Again::After(Arc::new(pause)),
        at_once: AT_ONCE,
        by_many: true,
    }
}

#[derive(Clone)]
struct OfProvider {
    shared: Weak<Shared>,
    handle: Handle,
    id: String,
    model: VectorModel,
    rests: Arc<Rests>,
    /// Texts that it takes at a time, as far as is known.
    most: Arc<AtomicUsize>,
}

impl Embedder for OfProvider {
    fn id(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.model.dimensions
    }

    /// What comes too late for who looks is heard all the same: it is paid for.
    fn query(&mut self, text: &str) -> Result<Vec<f32>, ::search::Error> {
        let (with, texts) = (self.clone(), vec![cut(text)]);
        let asked = self.handle.spawn(async move { with.ask(Purpose::Query, texts).await });
        let heard = async { tokio::time::timeout(PATIENCE, asked).await };
        let model = &self.model.model;
        let vectors = match self.handle.block_on(heard) {
            Ok(Ok(vectors)) => vectors.map_err(failed)?,
            Ok(Err(error)) => return Err(::search::Error::Embed(error.to_string())),
            Err(_) => {
                let why = format!("{model} did not answer within {} s", PATIENCE.as_secs());
                return Err(::search::Error::Embed(why));
            }
        };
        vectors.into_iter().next().ok_or_else(|| ::search::Error::Embed("no vector came".into()))
    }

    fn passages(&mut self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ::search::Error> {
        let all = texts.iter().map(|text| cut(text)).collect();
        self.handle.block_on(self.all(all)).map_err(failed)
    }
}

impl OfProvider {
    /// Where the model refuses some together, it is asked for each half of them, down to
    /// the one that it makes nothing of: that one gets no vector, or one of its first half
    /// where it was too long. Which one it is, and how many are too many, it does not say.
    async fn all(&self, mut texts: Vec<String>) -> Result<Vec<Vec<f32>>, Refused> {
        let mut vectors = vec![Vec::new(); texts.len()];
        let all: Vec<usize> = (0..texts.len()).collect();
        let mut left: Vec<&[usize]> = all.chunks(self.most.load(Relaxed)).rev().collect();
        // What is learned from refusals, and whether any was for what a text says.
        let (mut is_there, mut longest, mut is_for_one) = (false, 0, false);
        while let Some(some) = left.pop() {
            let asked = some.iter().map(|at| texts[*at].clone()).collect();
            let refused = match self.ask(Purpose::Passage, asked).await {
                Ok(came) => {
                    some.iter().zip(came).for_each(|(at, vector)| vectors[*at] = vector);
                    longest = longest.max(some.len());
                    continue;
                }
                Err(refused) if refused.may_be_for_the_texts() => refused,
                Err(refused) => return Err(refused),
            };
            if !is_there && self.ask(Purpose::Query, vec![PAIRS[0].0.to_owned()]).await.is_err() {
                return Err(refused);
            }
            is_there = true;
            is_for_one |= refused.is_too_long() || some.len() == 1;
            match some {
                [one] if refused.is_too_long() && texts[*one].chars().nth(1).is_some() => {
                    let half = texts[*one].chars().count() / 2;
                    texts[*one] = texts[*one].chars().take(half).collect();
                    left.push(some);
                }
                [_] => {}
                _ => {
                    let (first, second) = some.split_at(some.len() / 2);
                    left.extend([second, first]);
                }
            }
        }
        if is_there && !is_for_one && longest > 0 {
            self.most.store(longest, Relaxed);
        }
        Ok(vectors)
    }

    async fn ask(&self, purpose: Purpose, texts: Vec<String>) -> Result<Vec<Vec<f32>>, Refused> {
        let closing = || {
            let message = "the workspace is closing".to_owned();
            Refused::from(Fault::new(FaultCode::Internal, message, "start again"))
        };
        let shared = self.shared.upgrade().ok_or_else(closing)?;
        let model = &self.model.model;
        let came = tokio::select! {
            () = shared.closing.cancelled() => return Err(closing()),
            came = ask(&shared, model, purpose, texts) => came,
        };
        match &came {
            Ok(_) => self.rests.worked(),
            Err(refused) => self.rests.heard(refused.pause()),
        }
        let vectors = came?;
        let numbers = vectors.first().map_or(self.model.dimensions, Vec::len);
        if numbers != self.model.dimensions {
            let known = self.model.dimensions;
            let message = format!("{model} makes vectors of {numbers} numbers now, not of {known}");
            let fix = "choose it again in Settings, or with coterie model use embedding";
            return Err(Fault::new(FaultCode::Provider, message, fix).into());
        }
        Ok(vectors)
    }
}

/// Asks the provider, and puts on record what that used.
async fn ask(
    shared: &Arc<Shared>,
    model: &str,
    purpose: Purpose,
    texts: Vec<String>,
) -> Result<Vec<Vec<f32>>, Refused> {
    let now = shared.now_ms();
    let (served, price) = shared.store.read(|read| {
        let served = Served::find(read, model)?;
        let known = prices::of(&settings::get(read)?.prices, model);
        let price = known.or_else(|| models::known_price(&served.provider, &served.name));
        Ok::<_, Fault>((served, price))
    })?;
    let count = texts.iter().map(|text| tokens::of(text)).sum();
    let cost = |tokens: u32| {
        let usage = Usage { input_tokens: Some(tokens), ..Usage::default() };
        price.as_ref().map(|price| prices::cost(price, usage))
    };
    shared.store.read(|read| budget::has_money_today(read, cost(count).unwrap_or(0), now))?;
    let pass = shared.circuits.enter(&served.provider, model).map_err(Refused::by)?;
    let wanted = Texts { model: served.name.clone(), purpose, texts };
    let came = keys::vectors(shared, &served.provider, wanted).await;
    let (vectors, said) = match came {
        Ok(came) => {
            pass.reached();
            (Ok(came.vectors), came.input_tokens)
        }
        Err(fault) => {
            let refused = Refused::by(fault.clone());
            // One text may be to blame, which says nothing of the provider.
            if purpose == Purpose::Query || !refused.may_be_for_the_texts() {
                pass.failed(&fault);
            }
            let clean = redacted::fault(shared.safe.redactor(), refused.fault);
            let refused = Refused { fault: clean, ..refused };
            // It made something, which is paid for, and what it said of that is no use.
            match refused.why {
                Some(Trouble::BrokenAnswer) => (Err(refused), None),
                _ => return Err(refused),
            }
        }
    };
    let input_tokens = said.unwrap_or(count);
    let used = VectorUsage {
        model: model.to_owned(),
        input_tokens,
        cost_microusd: cost(input_tokens),
        estimated: said.is_none(),
        at_ms: now,
    };
    let pay = move |write: &mut Write<'_>| {
        budget::pay_today(write, used.cost_microusd, now)?;
        vector_usage::add(write, &used)
    };
    shared.store.write(Durability::Process, pay).await?;
    vectors
}

/// Why there are no vectors.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) fault: Fault,
    /// `None` where nobody was asked.
    why: Option<Trouble>,
    /// The reason is known, and has nothing to do with the texts.
    is_known: bool,
}

impl Refused {
    fn by(fault: ModelFault) -> Refused {
        let is_known = fault.kind.is_some();
        Refused { why: Some(fault.trouble), is_known, fault: fault.into() }
    }

    fn is_too_long(&self) -> bool {
        self.why == Some(Trouble::TooLong)
    }

    /// Another text may well get a vector, or fewer at a time.
    fn may_be_for_the_texts(&self) -> bool {
        match self.why {
            Some(Trouble::TooLong | Trouble::ServerError | Trouble::BrokenAnswer) => true,
            Some(Trouble::Refused) => !self.is_known,
            _ => false,
        }
    }

    /// How long the provider wants to be left alone.
    fn pause(&self) -> Option<Duration> {
        match self.why {
            Some(Trouble::Busy { retry_after }) => retry_after,
            _ => None,
        }
    }
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Refused {
        Refused { fault, why: None, is_known: true }
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Refused {
        Fault::from(error).into()
    }
}

fn cut(text: &str) -> String {
    text.chars().take(MOST_CHARACTERS).collect()
}

fn failed(refused: Refused) -> ::search::Error {
    ::search::Error::Embed(refused.fault.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Places;
    use std::path::PathBuf;

    #[test]
    fn the_scale_of_the_model_that_ships_is_what_its_vectors_show() {
        let assets = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets"));
        let name = format!("libonnxruntime.{}", std::env::consts::DLL_EXTENSION);
        let onnxruntime = assets.join("onnxruntime").join(name);
        let places = Places { assets, onnxruntime, ..Places::bare(PathBuf::new()) };
        let mut shipped = (Embedding::bundled(&places).load)().unwrap();
        let asked: Vec<Vec<f32>> =
            PAIRS.iter().map(|(asked, _)| shipped.query(asked).unwrap()).collect();
        let said = shipped.passages(&PAIRS.map(|(_, said)| said)).unwrap();
        let Scale { unrelated, alike } = scale(&asked, &said);
        let known = Scale::SHIPPED;
        let near = |one: f32, other: f32| (one - other).abs() < 0.002;
        assert!(near(unrelated, known.unrelated), "{unrelated} {alike}");
        assert!(near(alike, known.alike), "{alike}");
    }

    #[test]
    fn what_is_near_for_the_model_that_ships_is_as_near_for_another() {
        let other = Scale { unrelated: 0.1, alike: 0.6 };
        let check = |shipped: f32, expected: f32| {
            assert!(
                (other.of(shipped) - expected).abs() < 1e-3,
                "{shipped}: {}",
                other.of(shipped)
            );
        };
        let Scale { unrelated, alike } = Scale::SHIPPED;
        check(unrelated, 0.1);
        check(alike, 0.6);
        check((unrelated + alike) / 2.0, 0.35);
        check((1.0 + alike) / 2.0, 0.8);
        for cosine in [0.7, 0.8, 0.84, 0.96, 1.0] {
            assert!((Scale::SHIPPED.of(cosine) - cosine).abs() < 1e-6, "{cosine}");
        }
    }
}
