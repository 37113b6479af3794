//! Passes: given by a person, changed, and taken back.

use crate::shared::Shared;
use crate::{letters, lifecycle, seen};
use domain::{
    Fault, FaultCode, FaultKind, GroupId, GroupKind, Pass, PassId, PassRights, RequestId,
};
use std::sync::Arc;
use store::table::{groups, passes};
use store::{Durability, Read, StoreError};

const LONGEST_NAME: usize = 40;
/// More in an hour is nobody's conversation.
const MOST_SAYS: u32 = 1_000;

/// Gives a pass, or has the one of this name hold for what it says now. A new one
/// takes the request's id.
pub(crate) async fn put(
    shared: &Arc<Shared>,
    request: RequestId,
    rights: PassRights,
) -> Result<Pass, Fault> {
    let now = shared.now_ms();
    shared
        .store
        .write(Durability::Power, move |write| {
            let rights = checked(write, rights)?;
            let before = match passes::find(write, PassId(request.0))? {
                Some(same) => Some(same),
                None => holding(write, &rights.name)?,
            };
            let pass = match before {
                Some(before) => Pass { rights, ..before },
                None => {
                    must_be_free(write, &rights.name)?;
                    let id = PassId(request.0);
                    Pass { id, rights, at_ms: now, used_ms: None, uses: 0, revoked_ms: None }
                }
            };
            passes::put(write, &pass)?;
            Ok(pass)
        })
        .await
}

/// Takes it back, from the next thing that the program asks for.
pub(crate) async fn revoke(shared: &Arc<Shared>, pass: PassId) -> Result<Pass, Fault> {
    let now = shared.now_ms();
    shared
        .store
        .write(Durability::Power, move |write| {
            let mut pass = passes::get(write, pass)?;
            pass.revoked_ms.get_or_insert(now);
            passes::put(write, &pass)?;
            Ok::<_, Fault>(pass)
        })
        .await
}

/// The pass of this name that was not revoked.
pub(super) fn holding(read: &Read<'_>, name: &str) -> Result<Option<Pass>, StoreError> {
    let mut all = passes::all(read)?.into_iter();
    Ok(all.find(|pass| pass.holds() && letters::same(&pass.rights.name, name)))
}

fn checked(read: &Read<'_>, rights: PassRights) -> Result<PassRights, Fault> {
    let PassRights { name, mut reads, mut says, mut memory, says_per_hour } = rights;
    let name = name.trim().to_owned();
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let fits = !seen::is_blank(&name) && name.chars().count() <= LONGEST_NAME;
    if !fits || !name.chars().all(plain) || lifecycle::stands_for_another(&name) {
        return Err(Fault::bad_input(
            format!("{name:?} cannot be a program's name"),
            format!(
                "use 1 to {LONGEST_NAME} letters, digits, -, _ and dots, and no word for the person or for Coterie"
            ),
        )
        .of(FaultKind::PassNameUnfit { name }));
    }
    reads.sort_unstable();
    reads.dedup();
    says.sort_unstable();
    says.dedup();
    memory.sort_unstable();
    memory.dedup();
    for group in reads.iter().chain(&says) {
        must_be_a_conversation(read, *group)?;
    }
    if reads.is_empty() && says.is_empty() && memory.is_empty() {
        return Err(Fault::bad_input(
            format!("the pass of {name} would let it do nothing"),
            "name a group that it may read or say something in, or memories that it may search",
        ));
    }
    if !(1..=MOST_SAYS).contains(&says_per_hour) {
        return Err(Fault::bad_input(
            format!("{says_per_hour} messages an hour is no limit for a program"),
            format!("give 1 to {MOST_SAYS}"),
        ));
    }
    Ok(PassRights { name, reads, says, memory, says_per_hour })
}

fn must_be_a_conversation(read: &Read<'_>, group: GroupId) -> Result<(), Fault> {
    let group = groups::get(read, group)?;
    match group.kind {
        GroupKind::Direct | GroupKind::Group => Ok(()),
        GroupKind::Post | GroupKind::Task => Err(Fault::bad_input(
            format!("{} is not a conversation that a program can take part in", group.name),
            "name a group, or an agent's direct chat",
        )),
    }
}

/// Nobody could tell who said what of two with one name.
fn must_be_free(read: &Read<'_>, name: &str) -> Result<(), Fault> {
    if lifecycle::is_name_taken(read, name, None)? {
        return Err(Fault::new(
            FaultCode::Conflict,
            format!("you, an agent or a group is called {name:?} already"),
            "choose another name for the program",
        )
        .of(FaultKind::PassNameTaken { name: name.to_owned() }));
    }
    Ok(())
}
