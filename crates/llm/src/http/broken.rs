//! How an answer that had begun can go wrong, each said of the server.

use super::refusal::Asked;
use crate::{ModelFault, Trouble};
use std::time::Duration;

#[derive(Debug, thiserror::Error)]
pub enum Broken {
    #[error("lost the connection in the middle of its answer: {0}")]
    Connection(String),
    #[error("stopped in the middle of its answer")]
    Ended,
    #[error("sent nothing for {} s", .0.as_secs_f32())]
    Silent(Duration),
    #[error("was still writing after {} s", .0.as_secs_f32())]
    Endless(Duration),
    #[error("sent something that is not part of an answer: {0}")]
    Garbled(String),
    #[error("sent more than {} MiB where far less was due", .0 >> 20)]
    TooBig(usize),
    #[error("called a tool without naming it")]
    NamelessCall,
    #[error("gave up its answer ({0})")]
    GaveUp(String),
    #[error("answered with a web page")]
    WebPage,
}

impl Broken {
    pub(crate) fn fault(&self, asked: &Asked) -> ModelFault {
        let (trouble, fix) = match self {
            Broken::Connection(_) | Broken::Ended | Broken::Silent(_) => (
                Trouble::BrokenAnswer,
                "try again; if it happens often, look at the server's log".into(),
            ),
            Broken::Endless(_) | Broken::TooBig(_) => {
                (Trouble::Endless, "choose another model, and ask again".into())
            }
            Broken::Garbled(_) | Broken::NamelessCall | Broken::GaveUp(_) => {
                (Trouble::BrokenAnswer, "try again, or choose another model".into())
            }
            Broken::WebPage => (Trouble::Refused, asked.fix_address()),
        };
        ModelFault::new(trouble, format!("{} {self}", asked.server), fix)
    }
}
