//! Models that are files of the person's own: the list of them, and what their
//! headers tell. A file on the list stays where it lies, and nobody but the
//! person ever removes it.

use super::{LOCAL, OWN_WINDOW, STARTER, STARTER_WINDOW, local_provider};
use crate::shared::Shared;
use domain::{
    AboutModel, Fault, FaultCode, FaultKind, LocalModel, LocalModels, ModelFileWrong, ModelInfo,
};
use gguf::{About, Wrong};
use llm::local::template_wrong;
use std::path::Path;
use std::sync::Arc;
use store::table::{providers, settings};
use store::{Durability, StoreError};

/// Puts a file on the list, if it is a model that the engine can run.
pub(crate) async fn add(shared: &Arc<Shared>, path: String) -> Result<LocalModel, Fault> {
    let path = path.trim().to_owned();
    if !Path::new(&path).is_absolute() {
        return Err(Fault::bad_input(
            format!("{path} does not say in which folder the file lies"),
            "give its whole path",
        ));
    }
    let (looked, engine) = (path.clone(), shared.places.engine.clone());
    let model = off_the_loop(move || look_into(&looked, false, &engine)).await?;
    if let Some(wrong) = model.wrong {
        return Err(wrong);
    }
    let mut info = ModelInfo::new(path, model.about.as_ref().map(|about| about.window_tokens));
    let added = shared.store.write(Durability::Process, move |write| {
        let mut provider = providers::get(write, LOCAL)?.unwrap_or_else(local_provider);
        let before = provider.models.iter().position(|known| known.name == info.name);
        if let Some(before) = before.map(|at| provider.models.remove(at)) {
            info.chosen_tokens = before.chosen_tokens;
        }
        let chosen = info.chosen_tokens;
        provider.models.push(info);
        providers::put(write, &provider)?;
        Ok(chosen)
    });
    let chosen = added.await.map_err(|error: StoreError| Fault::from(error))?;
    Ok(given(model, chosen))
}

/// Takes a file off the list; the file stays. A role that it served is served
/// by the default again, and the default by the model that ships.
pub(crate) async fn remove(shared: &Arc<Shared>, path: String) -> Result<(), Fault> {
    let starter = shared.places.starter_model().exists().then(|| STARTER.to_owned());
    let removed = shared.store.write(Durability::Process, move |write| {
        let known = providers::get(write, LOCAL)?;
        let listed = |info: &ModelInfo| info.name == path;
        let Some(mut provider) = known.filter(|known| known.models.iter().any(listed)) else {
            return Err(not_listed(&path));
        };
        provider.models.retain(|info| !listed(info));
        providers::put(write, &provider)?;
        let model = format!("{LOCAL}/{path}");
        let mut settings = settings::to_change(write)?;
        let roles = &mut settings.models;
        if roles.default.as_ref() == Some(&model) {
            roles.default = starter;
        }
        for role in
            [&mut roles.fast, &mut roles.reasoning, &mut roles.embedding, &mut roles.fallback]
        {
            role.take_if(|role| *role == model);
        }
        settings::put(write, &settings)?;
        Ok(())
    });
    removed.await
}

pub(crate) fn not_listed(path: &str) -> Fault {
    Fault::not_found(
        format!("{path} is not on the list of models"),
        "coterie model list shows which are",
    )
}

/// Every model that is a file, the one that ships first, as they are now.
pub(crate) async fn all(shared: &Arc<Shared>) -> Result<LocalModels, Fault> {
    let listed = shared.store.read(|read| Ok::<_, Fault>(providers::get(read, LOCAL)?))?;
    let listed = listed.map(|provider| provider.models).unwrap_or_default();
    let (starter, engine) = (shared.places.starter_model(), shared.places.engine.clone());
    off_the_loop(move || {
        let ships = starter.exists().then(|| {
            let is_starter = |info: &&ModelInfo| STARTER.strip_prefix("local/") == Some(&info.name);
            let chosen = listed.iter().find(is_starter).and_then(|info| info.chosen_tokens);
            given(look_into(&starter.display().to_string(), true, &engine), chosen)
        });
        let own = listed.iter().filter(|info| Path::new(&info.name).is_absolute());
        let own = own.map(|info| given(look_into(&info.name, false, &engine), info.chosen_tokens));
        let models = ships.into_iter().chain(own).collect();
        LocalModels { models, gpu: llm::local::HAS_GPU }
    })
    .await
}

/// What the file of a model on the list was made to read and write at once, as
/// far as it says.
pub(crate) async fn made_for(shared: &Shared, name: &str) -> Result<Option<u32>, Fault> {
    let is_own = Path::new(name).is_absolute();
    let file = if is_own { name.into() } else { shared.places.starter_model() };
    let looked = move || look_at(&file.display().to_string(), !is_own);
    let LocalModel { about, wrong, .. } = off_the_loop(looked).await?;
    match wrong {
        Some(wrong) => Err(wrong),
        None => Ok(about.and_then(|about| about.context_tokens)),
    }
}

/// With the window that a person has chosen for it; never more than it was made for.
fn given(mut model: LocalModel, chosen: Option<u32>) -> LocalModel {
    if let (Some(about), Some(chosen)) = (&mut model.about, chosen) {
        about.window_tokens = about.context_tokens.map_or(chosen, |most| chosen.min(most));
    }
    model
}

/// What is wrong with the file of a model of the engine's, as far as its header says.
/// Blocks for a moment.
pub(crate) fn wrong_with(shared: &Shared, model: &str) -> Option<Fault> {
    let starter = || shared.places.starter_model().display().to_string();
    let own = || model.strip_prefix(LOCAL)?.strip_prefix('/').map(str::to_owned);
    let path = if model == STARTER { Some(starter()) } else { own() };
    look_at(&path?, model == STARTER).wrong
}

fn look_at(path: &str, ships: bool) -> LocalModel {
    looked_at(path, ships, |_| None)
}

/// The same, and tries its chat template.
fn look_into(path: &str, ships: bool, engine: &Path) -> LocalModel {
    looked_at(path, ships, |template| template_wrong(engine, template))
}

fn looked_at(path: &str, ships: bool, wrong: impl Fn(&str) -> Option<String>) -> LocalModel {
    let read = gguf::look(Path::new(path)).map_err(|wrong| unreadable(path, &wrong));
    let (about, wrong) = match read {
        Ok(about) => {
            let unfit = unfit(path, &about);
            (Some(told(about, ships, wrong)), unfit)
        }
        Err(wrong) => (None, Some(wrong)),
    };
    let model = if ships { STARTER.to_owned() } else { format!("{LOCAL}/{path}") };
    LocalModel { model, path: path.to_owned(), ships, about, wrong }
}

fn told(about: About, ships: bool, wrong: impl Fn(&str) -> Option<String>) -> AboutModel {
    let most = if ships { STARTER_WINDOW } else { OWN_WINDOW };
    AboutModel {
        title: about.name,
        architecture: about.architecture,
        bytes: about.bytes,
        parameters: about.parameters,
        quantisation: about.quantisation,
        context_tokens: about.context_tokens,
        window_tokens: about.context_tokens.map_or(most, |made_for| made_for.min(most)),
        has_template: about.template.is_some(),
        template_wrong: about.template.as_deref().and_then(wrong),
    }
}

/// A whole GGUF that holds no model which could answer.
fn unfit(path: &str, about: &About) -> Option<Fault> {
    const NO_SPEAKERS: &[&str] = &["clip", "bert", "nomic-bert", "jina-bert-v2", "t5encoder"];
    let architecture = about.architecture.as_deref().unwrap_or_default();
    let speaks =
        about.parameters > 0 && !architecture.is_empty() && !NO_SPEAKERS.contains(&architecture);
    (!speaks).then(|| {
        Fault::bad_input(
            format!("{path} holds no model that writes text"),
            "choose the file of a language model",
        )
        .of(kind(path, ModelFileWrong::Unusable))
    })
}

fn unreadable(path: &str, wrong: &Wrong) -> Fault {
    let (message, fix, sort) = match wrong {
        Wrong::Missing => (
            format!("there is no file {path}"),
            "put it back, or take it off the list",
            ModelFileWrong::Missing,
        ),
        Wrong::NotGguf => (
            format!("{path} is no GGUF file"),
            "choose a file in that format, which usually ends in .gguf",
            ModelFileWrong::NoModel,
        ),
        Wrong::CutOff { needed_bytes, actual_bytes } => (
            format!("{path} is cut off: it has {actual_bytes} of at least {needed_bytes} bytes"),
            "download it again",
            ModelFileWrong::CutOff,
        ),
        Wrong::Unknown | Wrong::Damaged => (
            format!("{path} cannot be read: {wrong}"),
            "download it again, or choose another file",
            ModelFileWrong::Unusable,
        ),
        Wrong::Io(error) => (
            format!("{path} cannot be read: {error}"),
            "see that this account may read it",
            ModelFileWrong::Unusable,
        ),
    };
    Fault::bad_input(message, fix).of(kind(path, sort))
}

fn kind(path: &str, wrong: ModelFileWrong) -> FaultKind {
    FaultKind::ModelFile { path: path.to_owned(), wrong }
}

/// A header lies on a disk that may be slow, or elsewhere.
async fn off_the_loop<T: Send + 'static>(
    look: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Fault> {
    let looked = tokio::task::spawn_blocking(look).await;
    looked.map_err(|error| Fault::new(FaultCode::Internal, error.to_string(), ""))
}
