//! Answers to the newest commands, for whoever sends one again because its
//! answer was lost on the way.

use domain::{Fault, Reply, RequestId};
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

#[derive(Default)]
pub(crate) struct Recent {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    answers: HashMap<RequestId, Result<Reply, Fault>>,
    order: VecDeque<RequestId>,
}

const HELD: usize = 256;

impl Recent {
    pub(crate) fn get(&self, id: RequestId) -> Option<Result<Reply, Fault>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).answers.get(&id).cloned()
    }

    pub(crate) fn put(&self, id: RequestId, answer: &Result<Reply, Fault>) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.answers.insert(id, answer.clone()).is_none() {
            held.order.push_back(id);
        }
        if held.order.len() > HELD
            && let Some(oldest) = held.order.pop_front()
        {
            held.answers.remove(&oldest);
        }
    }
}
