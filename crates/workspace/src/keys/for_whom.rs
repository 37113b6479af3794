//! Whom a key is for: the server that it was entered for, and no other.
//!
//! The list of keys says so, from when the key was entered or first used: a provider may be
//! gone meanwhile, or be another one since a backup was put in its place.

use super::Safe;
use super::change::keep_for;
use crate::shared::Shared;
use domain::{Fault, FaultCode, FaultKind, Provider};
use std::sync::Arc;
use store::Read;
use store::table::providers;

/// Fails where the provider is to be asked with a key that is known to be another
/// server's.
pub(crate) fn are_for(safe: &Safe, read: &Read<'_>, provider: &Provider) -> Result<(), Fault> {
    let Some(name) = &provider.key else { return Ok(()) };
    let servers = match safe.kept_for(name) {
        Some(server) => vec![server],
        None => {
            let all = providers::all(read)?.into_iter();
            all.filter(|one| one.key.as_ref() == Some(name))
                .filter_map(|one| one.server())
                .collect()
        }
    };
    let Some(server) = servers.first().cloned() else { return Ok(()) };
    if provider.server().is_some_and(|asked| servers.contains(&asked)) {
        return Ok(());
    }
    Err(is_anothers(name, server))
}

/// The same for a key that this server is about to be shown. Where nothing is known of it
/// the key is this server's from now on.
pub(crate) async fn is_for(shared: &Arc<Shared>, name: &str, server: &str) -> Result<(), Fault> {
    match shared.safe.kept_for(name) {
        Some(other) if other != server => Err(is_anothers(name, other)),
        Some(_) => Ok(()),
        None => {
            keep_for(shared, name.to_owned(), server.to_owned()).await;
            Ok(())
        }
    }
}

fn is_anothers(name: &str, server: String) -> Fault {
    let message = format!("the key {name} is for {server}, and is shown to no other server");
    let fix = "enter the key for the new address together with it, or go back to the old one";
    let kind = FaultKind::KeyOfAnotherServer { name: name.to_owned(), server };
    Fault::new(FaultCode::Key, message, fix).of(kind)
}
