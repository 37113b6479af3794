//! Whom a key is for: the server that it was entered for, and no other.
//!
//! The list of keys says so, from when the key was entered or first used: a provider may be
//! gone meanwhile, or be another one since a backup was put in its place.

use super::Safe;
use domain::{Fault, FaultCode, FaultKind, Provider};
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
    let message = format!("the key {name} is for {server}, and is shown to no other server");
    let fix = "enter the key for the new address together with it, or go back to the old one";
    let kind = FaultKind::KeyOfAnotherServer { name: name.clone(), server };
    Err(Fault::new(FaultCode::Key, message, fix).of(kind))
}
