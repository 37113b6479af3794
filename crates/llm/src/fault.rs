//! What can go wrong with a call, told apart by what the caller does next.

use domain::{BudgetScope, Fault, FaultCode, FaultKind, ModelTrouble};
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelFault {
    pub trouble: Trouble,
    /// One sentence for a person: what was tried and what came back.
    pub message: String,
    /// One sentence: what to do about it.
    pub fix: String,
    /// Which fault it is, where that is known more precisely than by its trouble.
    pub kind: Option<Box<FaultKind>>,
    /// Nobody was asked: whoever it is has only failed, and is left alone for a while.
    pub unasked: bool,
    /// How many tokens the model reads and writes at once, where the provider says so while
    /// it refuses more.
    pub window: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Nobody listens there, the name is unknown, the connection broke.
    Unreachable,
    /// The answer stopped coming, or was no answer.
    BrokenAnswer,
    /// The answer did not end by itself, and was cut off before it said anything.
    Endless,
    /// Too many requests, or overloaded; try again after the pause, if given.
    Busy { retry_after: Option<Duration> },
    /// The provider failed on its side (5xx).
    ServerError,
    /// The key is missing or was refused.
    Key,
    /// The provider does not have this model.
    UnknownModel,
    /// The conversation does not fit the model's window.
    TooLong,
    /// The provider did not accept the request.
    Refused,
    /// The engine's program or process: not there, crashed, out of memory.
    Engine,
    /// The model's file: not there, cut off, not a model.
    ModelFile,
    /// A limit of ours said no before anybody was asked; the call may have needed so much.
    Budget { scope: BudgetScope, tokens: i64, microusd: i64 },
}

impl Trouble {
    /// Whether the same call may well work a little later.
    pub fn may_pass(self) -> bool {
        match self {
            Trouble::Unreachable
            | Trouble::BrokenAnswer
            | Trouble::Busy { .. }
            | Trouble::ServerError => true,
            Trouble::Engine => true,
            // It would be as long again, and cost as much.
            Trouble::Endless
            | Trouble::Key
            | Trouble::UnknownModel
            | Trouble::TooLong
            | Trouble::Refused
            | Trouble::ModelFile
            | Trouble::Budget { .. } => false,
        }
    }

    /// Whether every call fails until somebody changes what is set up.
    pub fn waits_for_a_person(self) -> bool {
        matches!(self, Trouble::Key | Trouble::UnknownModel | Trouble::ModelFile)
    }
}

impl ModelFault {
    pub fn new(trouble: Trouble, message: impl Into<String>, fix: impl Into<String>) -> Self {
        let (message, fix) = (message.into(), fix.into());
        ModelFault { trouble, message, fix, kind: None, unasked: false, window: None }
    }

    /// A provider that does not answer this question, but may well answer the next.
    pub fn withheld(message: impl Into<String>) -> Self {
        let fix = "say it in other words, or choose another model";
        let kind = FaultKind::Model { trouble: ModelTrouble::Withheld };
        ModelFault { kind: Some(Box::new(kind)), ..ModelFault::new(Trouble::Refused, message, fix) }
    }

    /// A model that has answered, with nothing.
    pub fn wordless(model: &str) -> Self {
        let message = format!("{model} ended its answer without a word");
        let fix = "ask again, or choose another model";
        let kind = FaultKind::Model { trouble: ModelTrouble::Wordless };
        let fault = ModelFault::new(Trouble::BrokenAnswer, message, fix);
        ModelFault { kind: Some(Box::new(kind)), ..fault }
    }

    pub fn is_withheld(&self) -> bool {
        self.is(ModelTrouble::Withheld)
    }

    /// Whether it may be for what was asked, so that the next question may well be answered.
    pub fn may_be_of_the_question(&self) -> bool {
        match self.trouble {
            Trouble::Endless | Trouble::TooLong => true,
            // With a kind it is for what has nothing to do with the question.
            Trouble::Refused => self.kind.is_none() || self.is_withheld(),
            _ => self.is(ModelTrouble::Wordless),
        }
    }

    fn is(&self, trouble: ModelTrouble) -> bool {
        self.kind.as_deref() == Some(&FaultKind::Model { trouble })
    }
}

impl From<ModelFault> for Fault {
    fn from(fault: ModelFault) -> Fault {
        let trouble = kind_of(fault.trouble);
        let kind = fault.kind.unwrap_or_else(|| Box::new(FaultKind::Model { trouble }));
        let code = match fault.trouble {
            Trouble::Unreachable
            | Trouble::BrokenAnswer
            | Trouble::Endless
            | Trouble::Busy { .. }
            | Trouble::ServerError
            | Trouble::TooLong
            | Trouble::Refused => FaultCode::Provider,
            Trouble::UnknownModel => FaultCode::NoModel,
            Trouble::Key => FaultCode::Key,
            Trouble::Engine | Trouble::ModelFile => FaultCode::Engine,
            Trouble::Budget { .. } => FaultCode::Budget,
        };
        Fault { code, message: fault.message, fix: fault.fix, kind: Some(kind) }
    }
}

fn kind_of(trouble: Trouble) -> ModelTrouble {
    match trouble {
        Trouble::Unreachable => ModelTrouble::Away,
        Trouble::BrokenAnswer => ModelTrouble::Broken,
        Trouble::Endless => ModelTrouble::Endless,
        Trouble::Busy { .. } => ModelTrouble::Busy,
        Trouble::ServerError => ModelTrouble::Failing,
        Trouble::Key => ModelTrouble::Key,
        Trouble::UnknownModel => ModelTrouble::Unknown,
        Trouble::TooLong => ModelTrouble::TooLong,
        Trouble::Refused => ModelTrouble::Refused,
        Trouble::Engine => ModelTrouble::Engine,
        Trouble::ModelFile => ModelTrouble::File,
        Trouble::Budget { scope: BudgetScope::Message | BudgetScope::Run, .. } => {
            ModelTrouble::TurnBudget
        }
        Trouble::Budget {
            scope:
                BudgetScope::Day
                | BudgetScope::AnyAgent
                | BudgetScope::AnyGroup
                | BudgetScope::Feed
                | BudgetScope::Agent(_)
                | BudgetScope::Group(_),
            ..
        } => ModelTrouble::DayBudget,
    }
}
