//! Which models an agent has for what: one that answers, one that plans and
//! decides, one that makes notes, and who goes on when one of them fails.

use crate::calls::{Candidate, Candidates};
use crate::measured;
use crate::served::Served;
use crate::souls::{Effective, Fallback};
use crate::window::Window;
use domain::{Fault, Provider};
use store::Read;

/// What a turn is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    Answer,
    /// Who speaks next.
    Supervise,
}

/// The models of an agent's turn.
pub(crate) struct Roles {
    pub candidates: Candidates,
    /// Who is asked first of those that somebody serves; else why nobody does.
    pub served: Result<Served, Fault>,
}

impl Roles {
    pub(crate) fn look(read: &Read<'_>, effective: &Effective, task: Task) -> Result<Roles, Fault> {
        let answers = line(read, effective, effective.model.as_deref())?;
        let or_answers = |role: &Option<String>| match role {
            Some(role) => line(read, effective, Some(role)),
            None => Ok(answers.clone()),
        };
        let (plans, notes) = (or_answers(&effective.reasoning)?, or_answers(&effective.fast)?);
        let answers = match task {
            Task::Answer => answers,
            Task::Supervise => plans.clone(),
        };
        let served = somebody(&answers);
        let [answers, plans, notes] =
            [answers, plans, notes].map(|line| line.into_iter().map(Found::candidate).collect());
        Ok(Roles {
            candidates: Candidates { answers, plans, notes, cache: effective.cache },
            served,
        })
    }
}

#[derive(Clone)]
struct Found {
    /// `provider/model`; empty while none is chosen.
    name: String,
    served: Result<Served, Fault>,
    window: Window,
}

impl Found {
    fn look(read: &Read<'_>, name: &str) -> Result<Found, Fault> {
        let served = Served::find(read, name);
        let tokens = served.as_ref().ok().and_then(Served::context_tokens);
        let window = Window::new(tokens, measured::per_mille(read, name)?);
        Ok(Found { name: name.to_owned(), served, window })
    }

    fn candidate(self) -> Candidate {
        let Found { name, served, window } = self;
        Candidate { name, window, provider: served.map(|served| served.provider) }
    }

    fn is_on_this_machine(&self) -> bool {
        self.served.as_ref().is_ok_and(Served::is_on_this_machine)
    }

    /// What is said to it may be meant for this machine alone. Of a provider that is
    /// gone nobody knows any more where it was.
    fn may_be_on_this_machine(&self) -> bool {
        self.served.as_ref().map_or(true, Served::is_on_this_machine)
    }
}

/// The one that is asked first, the agent's own, and its fallback.
fn line(read: &Read<'_>, effective: &Effective, first: Option<&str>) -> Result<Vec<Found>, Fault> {
    let mut line: Vec<Found> = Vec::new();
    for name in [first, effective.model.as_deref()].into_iter().flatten() {
        if line.iter().all(|found| found.name != name) {
            line.push(Found::look(read, name)?);
        }
    }
    if let Some(Fallback { model, anywhere }) = &effective.fallback
        && line.iter().all(|found| found.name != *model)
    {
        let fallback = Found::look(read, model)?;
        let leaves =
            line.iter().any(Found::may_be_on_this_machine) && !fallback.is_on_this_machine();
        // What is said to a model of one's own machine stays there.
        if *anywhere || !leaves {
            line.push(fallback);
        }
    }
    if line.is_empty() {
        line.push(Found::look(read, "")?);
    }
    Ok(line)
}

/// Who may be asked for an answer, or for a plan before it.
pub(crate) fn asked(read: &Read<'_>, effective: &Effective) -> Result<Vec<Provider>, Fault> {
    let line = line(read, effective, effective.reasoning.as_deref())?;
    Ok(line.into_iter().filter_map(|found| Some(found.served.ok()?.provider)).collect())
}

fn somebody(line: &[Found]) -> Result<Served, Fault> {
    let mut all = line.iter().map(|found| found.served.clone());
    let first = all.next().expect("a line has somebody in it");
    first.or_else(|fault| all.find_map(Result::ok).ok_or(fault))
}
