//! Whom a key is for: the server that it was entered for, and no other.

use crate::served;
use domain::{Fault, FaultCode, FaultKind, Provider};
use store::Read;
use store::table::providers;

/// Fails where the provider is to be asked with a key that is known to be another
/// server's.
pub(crate) fn are_for(read: &Read<'_>, provider: &Provider) -> Result<(), Fault> {
    let Some(name) = &provider.key else { return Ok(()) };
    let all = providers::all(read)?;
    let mut asked = all.iter().filter(|one| one.key.as_ref() == Some(name)).peekable();
    let Some(first) = asked.peek().and_then(|one| one.base_url.as_deref()) else { return Ok(()) };
    let server = served::origin(first);
    if asked.any(|one| served::is_same_server(one, provider)) {
        return Ok(());
    }
    let message = format!("the key {name} is for {server}, and is shown to no other server");
    let fix = "enter the key for the new address together with it, or go back to the old one";
    let kind = FaultKind::KeyOfAnotherServer { name: name.clone(), server };
    Err(Fault::new(FaultCode::Key, message, fix).of(kind))
}
