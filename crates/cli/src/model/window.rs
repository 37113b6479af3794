//! How much a model reads and writes at once.

use crate::screen::Failure;
use crate::session::{Session, answered};
use domain::{Command as Order, Fault, Query};

/// Also of a model that its provider does not name. Without a number, what its
/// provider says holds again.
pub(super) async fn set(
    session: &Session,
    model: &str,
    tokens: Option<u32>,
) -> Result<(), Failure> {
    let names = session.names().await?;
    let (provider, name) =
        model.split_once('/').filter(|(_, name)| !name.is_empty()).ok_or_else(|| {
            Fault::bad_input(format!("{model} names no model"), "name it as PROVIDER/MODEL")
        })?;
    let provider = &names.provider(provider)?.name;
    let model = format!("{provider}/{name}");
    let set = Order::SetModelWindow { model: model.clone(), tokens };
    let provider = answered!(session.order(set).await?, Provider)?;
    let known = provider.models.iter().find(|info| info.name == name);
    session.screen.one(&provider, |_| match known.and_then(|info| info.window_tokens()) {
        Some(tokens) => format!("{model} reads and writes {tokens} tokens at once"),
        None => format!("nobody says how much {model} reads and writes at once"),
    });
    Ok(())
}

/// Of each model that is a file, by its name: the file's header is read anew.
pub(super) async fn of_files(session: &Session) -> Result<Vec<(String, u32)>, Failure> {
    let files = answered!(session.ask(Query::LocalModels).await?, LocalModels)?.models;
    let known = files.into_iter().filter_map(|file| Some((file.model, file.about?.window_tokens)));
    Ok(known.collect())
}
