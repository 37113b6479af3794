//! `coterie pause` and `coterie resume`: everybody rests, and goes on.

use crate::quiet::{Patience, followed};
use crate::screen::Failure;
use crate::session::{Session, answered};
use domain::Command as Order;

pub(crate) async fn pause(session: &Session) -> Result<(), Failure> {
    let settings = answered!(session.order(Order::PauseAll).await?, Settings)?;
    session.screen.one(&settings, |_| {
        "everybody rests; nothing happens by itself until coterie resume".to_owned()
    });
    Ok(())
}

/// Stays until they have answered what waited.
pub(crate) async fn resume(session: &Session, patience: &Patience) -> Result<(), Failure> {
    let settings = answered!(followed(session, Order::ResumeAll, patience).await?, Settings)?;
    session.screen.one(&settings, |_| "everybody goes on who rested with all".to_owned());
    Ok(())
}
