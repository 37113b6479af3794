//! Answers to the newest commands, for whoever sends one again because its
//! answer was lost on the way. One that is still being worked on is waited
//! for, not begun a second time. A refusal is not held: it changed nothing, and
//! what stood in the way may be gone, as a full disk is.

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

type Answer = OnceCell<Reply>;

const HELD: usize = 256;

impl Recent {
    /// The answer to this request, worked out by whoever asks first.
    pub(crate) async fn once(
        &self,
        id: RequestId,
        work: impl Future<Output = Result<Reply, Fault>>,
    ) -> Result<Reply, Fault> {
        let answer = self.place(id);
        answer.get_or_try_init(|| work).await.cloned()
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

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[tokio::test]
    async fn an_answer_is_given_again_and_a_refusal_is_tried_again() {
        let (recent, id) = (Recent::default(), RequestId(Uuid::nil()));
        let full = || async { Err(Fault::bad_input("the disk is full", "free some space")) };
        assert!(recent.once(id, full()).await.is_err());
        let stored = recent.once(id, async { Ok(Reply::Done) }).await;
        assert_eq!(stored, Ok(Reply::Done));
        assert_eq!(recent.once(id, full()).await, Ok(Reply::Done), "it is not done twice");
    }
}
