//! `coterie run replay`: whether a run goes the same way again.

use super::recalled::Said;
use super::steps::describe;
use crate::names::Names;
use crate::screen::Failure;
use crate::session::{Session, answered};
use domain::{Difference, Fault, FaultCode, Query, RunId, StepKind};

pub(super) async fn run(session: &Session, run: RunId) -> Result<(), Failure> {
    let replayed = *answered!(session.ask(Query::Replay { run }).await?, Replayed)?;
    let Some(difference) = &replayed.difference else {
        session.screen.one(&replayed, |_| match replayed.steps {
            0 => "no step of its agent's own is on record, so there is nothing to do again"
                .to_owned(),
            steps => format!("same {steps} steps"),
        });
        return Ok(());
    };
    let names = session.names().await?;
    let fault = Fault::new(
        FaultCode::Conflict,
        format!("the run goes another way at step {}", difference.n),
        "it was made by another version of Coterie, or its record is damaged: look at coterie run show",
    );
    if session.screen.is_plain() {
        session.screen.text(&told(difference, &names));
    }
    Err(Failure::found(fault, &replayed))
}

fn told(difference: &Difference, names: &Names) -> String {
    let line = |step: &Option<StepKind>| match step {
        Some(step) => {
            let (name, what) = describe(step, names, &Said::default());
            format!("{name} {what}")
        }
        None => "nothing more".to_owned(),
    };
    let Difference { n, stored, again } = difference;
    format!("step {n}\n  on record: {}\n  this time: {}", line(stored), line(again))
}
