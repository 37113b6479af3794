//! Answers to the newest commands, for whoever sends one again because its
//! answer was lost on the way. One that is still being worked on is waited
//! for, not begun a second time.

use domain::{Fault, Reply, RequestId};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

#[derive(Default)]
pub(crate) struct Recent {
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    answers: HashMap<RequestId, Arc<Answer>>,
    order: VecDeque<RequestId>,
}

type Answer = OnceCell<Result<Reply, Fault>>;

const HELD: usize = 256;

impl Recent {
    /// The answer to this request, worked out by whoever asks first.
    pub(crate) async fn once(
        &self,
        id: RequestId,
        work: impl Future<Output = Result<Reply, Fault>>,
    ) -> Result<Reply, Fault> {
        let answer = self.place(id);
        answer.get_or_init(|| work).await.clone()
    }

    fn place(&self, id: RequestId) -> Arc<Answer> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = held.answers.get(&id) {
            return answer.clone();
        }
        let answer = Arc::new(Answer::new());
        held.answers.insert(id, answer.clone());
        held.order.push_back(id);
        if held.order.len() > HELD
            && let Some(oldest) = held.order.pop_front()
        {
            held.answers.remove(&oldest);
        }
        answer
    }
}
