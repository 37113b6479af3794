//! Looks at everything that can be wrong and says what to do about it.

use crate::served::Served;
use crate::shared::Shared;
use crate::souls::effective;
use crate::{first_start, keeper, keys, models, profile, prompts, tokens, window};
use domain::{
    Agent, Check, CheckState, Fault, FaultCode, KeyHome, KeyPlace, ModelInfo, Provider,
    ProviderKind, SealedFile, Settings,
};
use std::path::Path;
use std::sync::Arc;
use store::Durability;
use store::table::{agents, providers, settings, souls};

pub(crate) async fn checks(shared: &Arc<Shared>) -> Vec<Check> {
    let mut checks = vec![data(shared), database(shared), soul_files(shared), about_person(shared)];
    checks.extend(parts(shared));
    checks.push(keyring(shared).await);
    let told = ask_all(shared).await;
    checks.push(default_model(shared, &told));
    checks.extend(connected(shared, &told).await);
    checks.extend(stuck_agents(shared));
    checks
}

/// Whether it takes data, which is more than that it is there.
fn data(shared: &Arc<Shared>) -> Check {
    let data = &shared.places.data;
    match first_start::try_writing(data, Durability::Power) {
        Ok(()) => ok("data directory", data.display().to_string()),
        Err(fault) => broken("data directory", fault.message, &fault.fix),
    }
}

fn database(shared: &Arc<Shared>) -> Check {
    match shared.store.check() {
        Ok(verdict) if verdict == "ok" => ok("database", shared.store.path().display().to_string()),
        Ok(damage) => broken("database", damage, "restore a copy from the folder backups/"),
        Err(error) => {
            broken("database", error.to_string(), "restore a copy from the folder backups/")
        }
    }
}

fn soul_files(shared: &Arc<Shared>) -> Check {
    match shared.store.read(souls::all) {
        Err(error) => broken("souls", error.to_string(), "look into the folder souls/"),
        Ok(all) => match all
            .iter()
            .find_map(|soul| keeper::not_in_force(soul).map(|(why, fix)| (soul, why, fix)))
        {
            None => ok("souls", format!("{} in {}", all.len(), shared.places.souls().display())),
            Some((soul, why, fix)) => {
                let until_then = match soul.version {
                    ..1 => "no agent can be made of it".to_owned(),
                    version => format!("version {version} stays in force"),
                };
                degraded("souls", why, &format!("{fix}; until then {until_then}"))
            }
        },
    }
}

/// What the person says of themselves; too much of it is cut in prompts.
fn about_person(shared: &Arc<Shared>) -> Check {
    let file = shared.places.profile();
    let file = file.display();
    let text = match profile::read(&shared.places) {
        Ok(text) => text,
        Err(why) => {
            let fix = "correct the file; until then agents are told nothing of it";
            return degraded("profile", format!("{file} cannot be read: {why}"), fix);
        }
    };
    let tokens = tokens::of(&text);
    let chosen = shared.store.read(|read| {
        let model = settings::get(read)?.models.default.unwrap_or_default();
        Served::find(read, &model).map(|served| served.info)
    });
    let reads = chosen.ok().flatten().and_then(|info| info.context_tokens);
    let most = prompts::profile_share(window::Window::new(reads, None).tokens);
    if tokens > most {
        let detail = format!("{file} has {tokens} tokens, of which agents are sure to read {most}");
        return degraded("profile", detail, "shorten it, or choose a model that reads more");
    }
    let detail =
        if text.is_empty() { format!("{file} says nothing yet") } else { file.to_string() };
    ok("profile", detail)
}

fn parts(shared: &Arc<Shared>) -> Vec<Check> {
    let places = &shared.places;
    let sizes = sizes(&places.assets).unwrap_or_default();
    let part = |name: &str, file: &Path, without: &str| {
        let again = "install Coterie again, or run make assets";
        let size = std::fs::metadata(file).ok().map(|metadata| metadata.len());
        let shipped =
            sizes.iter().find(|(shipped, _)| file.ends_with(shipped)).map(|(_, size)| *size);
        match (size, shipped) {
            (None, _) => degraded(name, format!("{} is missing: {without}", file.display()), again),
            (Some(size), Some(shipped)) if size != shipped => degraded(
                name,
                format!("{} has {size} bytes instead of {shipped}: {without}", file.display()),
                again,
            ),
            (Some(_), _) => ok(name, file.display().to_string()),
        }
    };
    vec![
        part("engine", &places.engine, "local models cannot run"),
        part("starter model", &places.starter_model(), "agents need another model to answer"),
        part("embedding model", &places.embedding_model(), "search is lexical only"),
        part("onnx runtime", &places.onnxruntime, "search is lexical only"),
    ]
}

/// How long each file that ships is, by its path below the assets.
fn sizes(assets: &Path) -> Option<Vec<(String, u64)>> {
    let manifest = std::fs::read(assets.join("manifest.json")).ok()?;
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).ok()?;
    let here = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    let files = manifest["files"].as_array()?.iter();
    let ours = files.filter(|file| file["platform"].as_str().is_none_or(|name| name == here));
    Some(
        ours.filter_map(|file| Some((file["name"].as_str()?.into(), file["bytes"].as_u64()?)))
            .collect(),
    )
}

/// Whether keys can be kept and read where they are. Nothing is broken by that
/// alone: a model on this machine needs no key.
async fn keyring(shared: &Arc<Shared>) -> Check {
    const NAME: &str = "keyring";
    let keys = match keys::check(shared).await {
        Ok(keys) => keys,
        Err(fault) => return degraded(NAME, fault.message, &fault.fix),
    };
    let lie_in = |place: &KeyPlace| keys.keys.iter().filter(|key| key.place == *place).count();
    let (in_keyring, in_file) = (lie_in(&KeyPlace::Keyring), lie_in(&KeyPlace::Sealed));
    if let Some(fault) = keys.keyring.filter(|_| keys.home == KeyHome::Keyring || in_keyring > 0) {
        return degraded(NAME, fault.message, &fault.fix);
    }
    if keys.to_be_moved > 0 {
        let detail = format!("{} keys lie in the other place than new ones", keys.to_be_moved);
        return degraded(NAME, detail, "coterie key move keyring, or coterie key move sealed");
    }
    match (keys.home, keys.sealed) {
        (KeyHome::Keyring, _) => {
            ok(NAME, format!("{} can be used; keys in it: {in_keyring}", keys.keyring_name))
        }
        (KeyHome::Sealed, SealedFile::Open) => {
            ok(NAME, format!("the sealed file is open; keys in it: {in_file}"))
        }
        (KeyHome::Sealed, SealedFile::Locked) => degraded(
            NAME,
            format!("the sealed file is locked; keys in it: {in_file}"),
            "enter its passphrase in Settings under Keys, or with coterie key unlock",
        ),
        (KeyHome::Sealed, SealedFile::Absent) => degraded(
            NAME,
            "the sealed file that keys go to is gone".to_owned(),
            "put it back, or go over to the keyring with coterie key move keyring",
        ),
    }
}

/// Agents that a person has to help.
fn stuck_agents(shared: &Arc<Shared>) -> Vec<Check> {
    let living = shared.store.read(agents::living).unwrap_or_default();
    let stuck = living.into_iter().filter_map(|agent| Some((agent.name, agent.problem?)));
    stuck
        .map(|(name, fault)| {
            // Choosing a model brings back whoever stopped for want of one.
            let fix = match fault.code {
                FaultCode::NoModel => fault.fix,
                _ => format!("{}; then: coterie agent resume {name}", fault.fix),
            };
            degraded(&format!("agent {name}"), fault.message, &fix)
        })
        .collect()
}

/// A provider, and the models that it said it has.
type Told = (Provider, Result<Vec<ModelInfo>, Fault>);

/// Asks every provider, and the built-in one, for its models.
async fn ask_all(shared: &Arc<Shared>) -> Vec<Told> {
    let mut known = shared.store.read(providers::all).unwrap_or_default();
    if !known.iter().any(|provider| provider.name == models::LOCAL) {
        known.push(models::local_provider());
    }
    let asked = known.into_iter().map(|provider| async move {
        let told = keys::models_of(shared, provider.clone()).await;
        (provider, told)
    });
    futures::future::join_all(asked).await
}

/// Broken where nobody can answer: neither this model nor one that an agent
/// has of its own.
fn default_model(shared: &Arc<Shared>, told: &[Told]) -> Check {
    let known = shared.store.read(|read| {
        Ok::<_, Fault>((settings::get(read)?, agents::living(read).unwrap_or_default()))
    });
    let (settings, living) = match known {
        Ok(known) => known,
        Err(fault) => return broken("default model", fault.message, &fault.fix),
    };
    let model = settings.models.default.clone().unwrap_or_default();
    match answers(shared, &model, told) {
        Ok(Some(info)) if info.demo => degraded(
            "default model",
            format!("{model}, a small demo model that knows English only"),
            "connect a better one: coterie provider add NAME --url URL",
        ),
        Ok(_) if is_unnamed(shared, &model, told) => degraded(
            "default model",
            format!("{model}, which its provider does not name among its models"),
            "it may answer all the same; else choose another: coterie model use default PROVIDER/MODEL",
        ),
        Ok(_) => ok("default model", model),
        Err(fault) if living.iter().any(|agent| has_its_own(shared, agent, &settings, told)) => {
            degraded("default model", fault.message, &fault.fix)
        }
        Err(fault) => {
            broken("default model", format!("no agent can answer: {}", fault.message), &fault.fix)
        }
    }
}

fn has_its_own(shared: &Arc<Shared>, agent: &Agent, settings: &Settings, told: &[Told]) -> bool {
    let soul = shared.souls.in_force(&agent.soul);
    let model =
        soul.and_then(|soul| effective(agent.model.as_deref(), &soul.front, settings).model);
    model.is_some_and(|model| answers(shared, &model, told).is_ok())
}

/// Whether a model can be asked, as far as that can be known without asking
/// it; what is known of it, or what stands in the way.
fn answers(shared: &Arc<Shared>, model: &str, told: &[Told]) -> Result<Option<ModelInfo>, Fault> {
    let Served { provider, info } = shared.store.read(|read| Served::find(read, model))?;
    let listed = told.iter().find(|(known, _)| known.name == provider.name);
    let Some((_, listed)) = listed else { return Ok(info) };
    let listed = listed.as_ref().map_err(Fault::clone)?;
    if provider.kind != ProviderKind::Local {
        return Ok(info);
    }
    let again = "install Coterie again, or run make assets; or choose another model";
    let missing = |what: String| Err(Fault::new(FaultCode::Engine, what, again));
    if !shared.places.engine.exists() {
        return missing(format!("{model} needs the engine, which is missing"));
    }
    if !listed.iter().any(|one| is_named(one, model)) {
        return missing(format!("the file of {model} is missing"));
    }
    Ok(info)
}

fn is_named(info: &ModelInfo, model: &str) -> bool {
    // Ollama takes a name without a tag for the newest one of it.
    let tagged = |name: &str| info.name.strip_suffix(":latest") == Some(name);
    model.split_once('/').is_some_and(|(_, name)| name == info.name || tagged(name))
}

/// Whether its provider was asked and has no such model, as far as it says.
fn is_unnamed(shared: &Arc<Shared>, model: &str, told: &[Told]) -> bool {
    let Ok(served) = shared.store.read(|read| Served::find(read, model)) else { return false };
    let listed = told.iter().find(|(known, _)| known.name == served.provider.name);
    let Some((_, Ok(listed))) = listed else { return false };
    served.info.is_none() && !listed.iter().any(|one| is_named(one, model))
}

/// Each provider that a person has set up.
async fn connected(shared: &Arc<Shared>, told: &[Told]) -> Vec<Check> {
    let set_up = shared.store.read(providers::all).unwrap_or_default();
    let told = told.iter().filter(|(provider, _)| set_up.contains(provider));
    let looked = told.map(|(provider, told)| async move {
        let name = format!("provider {}", provider.name);
        match told {
            Err(fault) => degraded(&name, fault.message.clone(), &fault.fix),
            Ok(models) => {
                let unchecked = if tells_anybody(shared, provider.clone()).await {
                    "; it tells them to anybody, so the key is not checked"
                } else {
                    ""
                };
                let alone = left_alone(shared, provider);
                ok(&name, format!("answers; models: {}{unchecked}{alone}", models.len()))
            }
        }
    });
    futures::future::join_all(looked).await
}

/// Calls fail at once for a while, whatever it says now.
fn left_alone(shared: &Shared, provider: &Provider) -> String {
    let left = shared.circuits.left_alone(&provider.name);
    left.map_or(String::new(), |left| {
        let seconds = left.as_secs_f64().ceil();
        format!("; calls did not reach it, so it is left alone for another {seconds} s")
    })
}

/// Whether a provider that has a key does not look at it before it lists its
/// models.
async fn tells_anybody(shared: &Arc<Shared>, provider: Provider) -> bool {
    let stranger = Provider { key_env: None, key: None, ..provider.clone() };
    (provider.key_env.is_some() || provider.key.is_some())
        && keys::models_of(shared, stranger).await.is_ok()
}

fn ok(name: &str, detail: String) -> Check {
    Check { name: name.into(), state: CheckState::Ok, detail, fix: String::new() }
}

fn degraded(name: &str, detail: String, fix: &str) -> Check {
    Check { name: name.into(), state: CheckState::Degraded, detail, fix: fix.into() }
}

fn broken(name: &str, detail: String, fix: &str) -> Check {
    Check { name: name.into(), state: CheckState::Broken, detail, fix: fix.into() }
}
