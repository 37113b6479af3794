//! Why something could not be done: the word for the program, a sentence for
//! the person.

use domain::engine::Fault;

pub(crate) type Result<T> = std::result::Result<T, Failure>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub fault: Fault,
    pub message: String,
}

pub(crate) fn failure(fault: Fault, message: impl Into<String>) -> Failure {
    Failure { fault, message: message.into() }
}
