//! How long the feed takes to admit what it has taken from its queue, from within.
//!
//! A tick gives out many events. Each batch of them is a span, which lasts until what
//! was decided about all of it is stored, so for each of them it is the longest that it
//! took.

use super::broken;
use crate::screen::Failure;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tracing::span::{Attributes, Id};
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

/// As `workspace` calls it.
const ADMISSION: &str = "admission";

#[derive(Clone, Default)]
pub(super) struct Admissions(Arc<Mutex<Vec<Duration>>>);

impl Admissions {
    /// Listens from now on, in the whole process. Nothing else may listen, as a log does.
    pub(super) fn listen() -> Result<Admissions, Failure> {
        let all = Admissions::default();
        let is_one = filter_fn(|span: &Metadata<'_>| span.name() == ADMISSION);
        let listens = tracing_subscriber::registry().with(all.clone().with_filter(is_one));
        tracing::subscriber::set_global_default(listens)
            .map_err(|_| broken("measure what is written to a log", "COTERIE_LOG is set"))?;
        Ok(all)
    }

    /// The shortest first, of those since it was last asked.
    pub(super) fn took(&self) -> Vec<Duration> {
        let mut all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        all.sort_unstable();
        all
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Admissions {
    fn on_new_span(&self, _: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(Instant::now());
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        if let Some(begun) = span.extensions().get::<Instant>() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(begun.elapsed());
        }
    }
}
