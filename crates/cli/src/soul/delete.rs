//! `coterie soul rename`, `delete` and `restore`: what a soul's file is called, and whether it
//! is there.

use crate::screen::Failure;
use crate::session::{Session, answered};
use domain::Command as Order;

pub(super) async fn rename(session: &Session, name: &str, to: String) -> Result<(), Failure> {
    let from = session.names().await?.soul(name)?;
    let order = Order::RenameSoul { soul: from.clone(), to };
    let soul = answered!(session.order(order).await?, Soul)?;
    session.screen.one(&soul, |_| format!("{from} is called {} now, in {}", soul.name, soul.path));
    Ok(())
}

pub(super) async fn delete(session: &Session, name: &str) -> Result<(), Failure> {
    let soul = session.names().await?.soul(name)?;
    let soul = answered!(session.order(Order::DeleteSoul { soul }).await?, Soul)?;
    session.screen.one(&soul, |_| {
        format!(
            "{0} is deleted; its file is in souls/deleted, and coterie soul restore {0} brings it back",
            soul.name
        )
    });
    Ok(())
}

/// One that was never in force is on no list any more.
pub(super) async fn bring_back(session: &Session, name: String) -> Result<(), Failure> {
    let soul = session.names().await?.soul(&name).unwrap_or(name);
    let soul = answered!(session.order(Order::BringBackSoul { soul }).await?, Soul)?;
    session.screen.one(&soul, |_| format!("{} is back, as version {}", soul.name, soul.version));
    Ok(())
}
