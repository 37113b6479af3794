//! `coterie key …`: where keys lie. What they are is typed unseen or comes from
//! standard input, and is never printed.

use crate::provider;
use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::table::table;
use crate::{unseen, words};
use clap::{Subcommand, ValueEnum};
use domain::{
    Agent, Command as Order, Fault, FaultCode, FaultKind, Key, KeyHome, KeyPlace, Keys, Query,
    SealedFile, Secret,
};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Every key: where it lies, how it ends, when it was last used
    List,
    /// Keep a key in place of what had this name: type it unseen, or pass it on standard input
    Set {
        /// A provider's name, or any other name
        name: String,
        /// Keep nothing; use what this environment variable of the owning process holds
        #[arg(long, value_name = "VARIABLE")]
        env: Option<String>,
    },
    /// Take a key out of its place
    Remove {
        /// The key's name, or its provider's
        name: String,
        /// Only take it off the list, where its place cannot be reached any more
        #[arg(long)]
        forget: bool,
    },
    /// Move every key to one place, where new ones go from then on
    Move {
        /// The keyring of this system, or a file that a passphrase seals
        to: Home,
    },
    /// See whether keys can be kept and read, or whether a provider takes its key
    Test {
        /// The key's name, or its provider's
        name: Option<String>,
    },
    /// Open the sealed file for the process that owns the workspace
    Unlock,
    /// Close the sealed file again
    Lock,
    /// Seal the file with another passphrase
    Passphrase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Home {
    Keyring,
    Sealed,
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List => {
            let keys = look(session, false).await?;
            session.screen.one(&keys, |paint| list(&keys, paint));
            Ok(())
        }
        Command::Set { name, env } => set(session, &name, env).await,
        Command::Remove { name, forget } => remove(session, &name, forget).await,
        Command::Move { to: Home::Keyring } => move_to(session, KeyHome::Keyring).await,
        Command::Move { to: Home::Sealed } => move_to(session, KeyHome::Sealed).await,
        Command::Test { name: None } => test_places(session).await,
        Command::Test { name: Some(name) } => test(session, &name).await,
        Command::Unlock => unlock(session).await,
        Command::Lock => {
            session.order(Order::LockKeys).await?;
            tell(session, "the sealed file is locked").await
        }
        Command::Passphrase => {
            let old = unseen::line("The passphrase so far: ")?;
            let new = unseen::new_passphrase()?;
            session.order(Order::ChangePassphrase { old, new }).await?;
            tell(session, "the sealed file has its new passphrase").await
        }
    }
}

pub(crate) async fn look(session: &Session, check: bool) -> Result<Keys, Fault> {
    answered!(session.ask(Query::Keys { check }).await?, Keys)
}

async fn tell(session: &Session, done: &str) -> Result<(), Failure> {
    let keys = look(session, false).await?;
    session.screen.one(&keys, |_| done.to_owned());
    Ok(())
}

async fn set(session: &Session, name: &str, env: Option<String>) -> Result<(), Failure> {
    let name = full_name(session, name).await?;
    match env {
        Some(variable) => {
            session.order(Order::UseVariable { name: name.clone(), variable }).await?;
        }
        None => keep(session, &name, entered(session, &name).await?).await?,
    }
    let key = find(session, &name).await?;
    let keys = look(session, false).await?;
    session.screen.one(&key, |_| told(&key, &keys));
    Ok(())
}

/// What somebody enters, for a key that can be kept then.
pub(crate) async fn entered(session: &Session, name: &str) -> Result<Secret, Failure> {
    must_have_a_place(session).await?;
    unseen::all(&format!("Key for {name}: "))
}

/// Fails where no key could be kept now.
pub(crate) async fn must_have_a_place(session: &Session) -> Result<(), Failure> {
    open_if_locked(session).await?;
    fail_without_keyring(session).await
}

/// Before a key is asked for: nobody is to type one to hear then that there is no
/// place for it.
async fn fail_without_keyring(session: &Session) -> Result<(), Failure> {
    if look(session, false).await?.home != KeyHome::Keyring {
        return Ok(());
    }
    match look(session, true).await?.keyring {
        None => Ok(()),
        Some(fault) => Err(fault.into()),
    }
}

pub(crate) async fn keep(session: &Session, name: &str, value: Secret) -> Result<(), Failure> {
    session.order(Order::SetKey { name: name.to_owned(), value }).await?;
    Ok(())
}

/// A key goes into the sealed file, and somebody is there to open it.
async fn open_if_locked(session: &Session) -> Result<(), Failure> {
    let keys = look(session, false).await?;
    let wants_it = keys.home == KeyHome::Sealed && keys.sealed == SealedFile::Locked;
    if wants_it && (session.passphrase.is_some() || unseen::somebody_types()) {
        let passphrase = passphrase(session)?;
        session.order(Order::UnlockKeys { passphrase }).await?;
    }
    Ok(())
}

/// Opens the sealed file, where its passphrase was handed to this process, for
/// agents that stopped because it was locked: they go on. For the others it is
/// opened when their key is wanted.
pub(crate) async fn open_for_who_stopped(session: &Session) -> Result<(), Failure> {
    let Some(passphrase) = session.passphrase.clone().filter(|_| session.door.owns()) else {
        return Ok(());
    };
    let overview = session.overview().await?;
    let waits_for_it = |agent: &Agent| {
        let kind = agent.problem.as_ref().and_then(|problem| problem.kind.as_deref());
        matches!(kind, Some(FaultKind::SealedLocked | FaultKind::PassphraseWrong))
    };
    let is_locked = overview.keys.sealed == SealedFile::Locked;
    if is_locked && overview.agents.iter().any(waits_for_it) {
        session.order(Order::UnlockKeys { passphrase }).await?;
    }
    Ok(())
}

/// As it was handed to this process, else as somebody enters it.
fn passphrase(session: &Session) -> Result<Secret, Failure> {
    match &session.passphrase {
        Some(passphrase) => Ok(passphrase.clone()),
        None => unseen::line("Passphrase of the sealed file: "),
    }
}

async fn remove(session: &Session, name: &str, forget: bool) -> Result<(), Failure> {
    let name = full_name(session, name).await?;
    let used_by = find(session, &name).await?.used_by;
    session.order(Order::RemoveKey { name: name.clone(), forget }).await?;
    if let Some(still_there) = still_there(&look(session, false).await?) {
        session.screen.aside(&still_there);
    }
    session.screen.one(&(), |_| {
        let gone = if forget { "is off the list" } else { "is removed" };
        match used_by.len() {
            0 => format!("{name} {gone}"),
            _ => format!("{name} {gone}; asked with it until now: {}", used_by.join(", ")),
        }
    });
    Ok(())
}

async fn move_to(session: &Session, to: KeyHome) -> Result<(), Failure> {
    let keys = look(session, false).await?;
    match (to, keys.sealed) {
        (KeyHome::Sealed, SealedFile::Absent) => {
            session.screen.aside(
                "whoever has the file and its passphrase has the keys; \
                 without the passphrase nobody has",
            );
            let passphrase = unseen::new_passphrase()?;
            session.order(Order::SealKeys { passphrase }).await?;
        }
        (_, SealedFile::Locked) => {
            let passphrase = passphrase(session)?;
            session.order(Order::UnlockKeys { passphrase }).await?;
        }
        (KeyHome::Sealed, SealedFile::Open) | (KeyHome::Keyring, _) => {}
    }
    session.order(Order::MoveKeys { to }).await?;
    let place = match to {
        KeyHome::Keyring => keys.keyring_name,
        KeyHome::Sealed => "the sealed file".to_owned(),
    };
    tell(session, &format!("keys are kept in {place} from now on")).await
}

async fn test_places(session: &Session) -> Result<(), Failure> {
    let keys = look(session, true).await?;
    let lies_there = keys.keys.iter().any(|key| key.place == KeyPlace::Keyring);
    let wanted = keys.home == KeyHome::Keyring || lies_there;
    if let Some(fault) = keys.keyring.clone().filter(|_| wanted) {
        return Err(Failure::found(fault, &keys));
    }
    let locked = keys.sealed == SealedFile::Locked;
    if locked && keys.home == KeyHome::Sealed {
        let fix = "enter its passphrase in Settings under Keys, or with coterie key unlock";
        let fault = Fault::new(FaultCode::Key, "the sealed file is locked", fix);
        return Err(Failure::found(fault, &keys));
    }
    session.screen.one(&keys, |_| match keys.home {
        KeyHome::Keyring => format!("{} can be used", keys.keyring_name),
        KeyHome::Sealed => "the sealed file is open".to_owned(),
    });
    Ok(())
}

/// Has every provider that is asked with it say which models it has.
async fn test(session: &Session, name: &str) -> Result<(), Failure> {
    let name = full_name(session, name).await?;
    let key = find(session, &name).await?;
    let names = session.names().await?;
    let (mut works, mut unchecked) = (Vec::new(), Vec::new());
    for used_by in &key.used_by {
        let provider = names.provider(used_by)?.clone();
        let ask = Query::ModelsOf { provider: provider.clone(), key: None };
        answered!(session.ask(ask).await?, Models)?;
        let is_open = provider::is_open(session, &provider).await;
        if is_open { &mut unchecked } else { &mut works }.push(used_by.as_str());
    }
    session.screen.one(&key, |_| {
        let works = (!works.is_empty()).then(|| format!("{name} works with {}", works.join(", ")));
        let unchecked = (!unchecked.is_empty()).then(|| {
            let who = unchecked.join(", ");
            format!("{name} was not checked with {who}, which tells its models to anybody")
        });
        let told: Vec<String> = [works, unchecked].into_iter().flatten().collect();
        match told.is_empty() {
            true => format!("{name} is kept, and nobody is asked with it"),
            false => told.join("\n"),
        }
    });
    Ok(())
}

async fn unlock(session: &Session) -> Result<(), Failure> {
    let passphrase = passphrase(session)?;
    session.order(Order::UnlockKeys { passphrase }).await?;
    if session.door.owns() {
        session.screen.aside(
            "that is its passphrase, but no process has this workspace open that stays; \
             coterie serve --passphrase-file FILE opens the sealed file for as long as it runs",
        );
    }
    tell(session, "the sealed file is open").await
}

/// A provider's name stands for its own key.
async fn full_name(session: &Session, name: &str) -> Result<String, Fault> {
    let names = session.names().await?;
    let is_listed = names.overview.keys.keys.iter().any(|key| key.name == name);
    Ok(match names.provider(name) {
        Ok(provider) if !is_listed => format!("provider/{}", provider.name),
        Ok(_) | Err(_) => name.to_owned(),
    })
}

async fn find(session: &Session, name: &str) -> Result<Key, Fault> {
    let keys = look(session, false).await?;
    keys.keys.into_iter().find(|key| key.name == name).ok_or_else(|| {
        Fault::not_found(format!("there is no key named {name}"), "coterie key list shows them")
    })
}

fn told(key: &Key, keys: &Keys) -> String {
    let ends = key.ends_with.as_ref().map(|end| format!(", ends with …{end}")).unwrap_or_default();
    format!("{} is kept in {}{ends}", key.name, place(&key.place, keys))
}

fn place(place: &KeyPlace, keys: &Keys) -> String {
    match place {
        KeyPlace::Keyring => keys.keyring_name.clone(),
        KeyPlace::Sealed => "the sealed file".to_owned(),
        KeyPlace::Variable { variable } => format!("${variable}"),
    }
}

fn list(keys: &Keys, paint: Paint) -> String {
    if let Some(fault) = &keys.list {
        return format!("{}\n{}", fault.message, fault.fix);
    }
    if keys.keys.is_empty() {
        return "no keys are kept; coterie key set NAME keeps one".to_owned();
    }
    let rows = keys.keys.iter().map(|key| {
        let ends = key.ends_with.as_ref().map(|end| format!("…{end}")).unwrap_or_default();
        let used = key.used_ms.map(words::ago).unwrap_or_default();
        let whose = match &key.only_for {
            Some(server) => format!("nobody; it is for {server}"),
            None => key.used_by.join(", "),
        };
        [key.name.clone(), place(&key.place, keys), ends, used, whose]
    });
    let all = table(paint, ["key", "place", "ends with", "last used", "used by"], rows.collect());
    let lent = (keys.lent > 0).then(|| still_lent(keys.lent, keys));
    let lines: Vec<String> = [Some(all), lent, still_there(keys)].into_iter().flatten().collect();
    lines.join("\n")
}

/// Values that were removed or replaced while their place could not be reached.
fn still_there(keys: &Keys) -> Option<String> {
    let values = match keys.to_be_erased {
        0 => return None,
        1 => "1 value that was removed or replaced still lies".to_owned(),
        n => format!("{n} values that were removed or replaced still lie"),
    };
    Some(format!(
        "{values} where it could not be reached; coterie key test erases what it can reach"
    ))
}

fn still_lent(lent: u32, keys: &Keys) -> String {
    format!(
        "this data directory is a copy of another, and {lent} of its keys still {} that one's \
         place in {}; coterie key test gives each a place of its own",
        if lent == 1 { "lies in" } else { "lie in" },
        keys.keyring_name
    )
}
