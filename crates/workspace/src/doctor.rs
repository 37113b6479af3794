//! Looks at everything that can be wrong and says what to do about it.

mod found;
mod parts;
mod remembered;
mod served;
mod system;
mod told;

use crate::served::Served;
use crate::shared::Shared;
use crate::souls::effective;
use crate::{first_start, keeper, keys, models, profile, prompts, skills, tokens, window};
use domain::{
    Agent, Check, CheckAbout, CheckState, Fault, FaultCode, FaultKind, Finding, KeyHome, KeyPlace,
    ModelInfo, Provider, ProviderKind, SealedFile, Settings, SoulStanding,
};
use found::{at, broken, count, degraded, failed, ok};
use std::sync::Arc;
use store::Durability;
use store::table::{agents, providers, settings, souls};

pub(crate) async fn checks(shared: &Arc<Shared>) -> Vec<Check> {
    let mut checks: Vec<Check> = system::untried(std::env::consts::OS).into_iter().collect();
    checks.extend([data(shared), database(shared), soul_files(shared), about_person(shared)]);
    checks.extend(skill_files(shared));
    checks.extend(own_prompts(shared));
    checks.extend(parts::all(shared).await);
    checks.push(system::sandbox(shared).await);
    checks.push(remembered::memory_index(shared).await);
    checks.extend(remembered::reranker(shared).await);
    checks.extend(remembered::imports(shared));
    checks.push(keyring(shared).await);
    let told = ask_all(shared).await;
    checks.push(default_model(shared, &told));
    checks.extend(connected(shared, &told).await);
    checks.extend(served::servers(shared).await);
    checks.extend(told::sources(shared).await);
    checks.extend(told::feed(shared));
    checks.extend(stuck_agents(shared));
    checks
}

/// Whether it takes data, which is more than that it is there.
fn data(shared: &Arc<Shared>) -> Check {
    let data = &shared.places.data;
    match first_start::try_writing(data, Durability::Power) {
        Ok(()) => at(CheckAbout::DataDirectory, data),
        Err(fault) => failed(CheckAbout::DataDirectory, CheckState::Broken, fault),
    }
}

fn database(shared: &Arc<Shared>) -> Check {
    match shared.store.check() {
        Ok(verdict) if verdict == "ok" => at(CheckAbout::Database, shared.store.path()),
        Ok(detail) => broken(
            CheckAbout::Database,
            detail.clone(),
            "restore a copy from the folder backups/",
            Finding::Damaged { detail },
        ),
        Err(error) => failed(CheckAbout::Database, CheckState::Broken, error.into()),
    }
}

fn soul_files(shared: &Arc<Shared>) -> Check {
    let mut all = match shared.store.read(souls::all) {
        Ok(all) => all,
        Err(error) => return failed(CheckAbout::Souls, CheckState::Broken, error.into()),
    };
    all.retain(|soul| soul.standing() != SoulStanding::Deleted);
    let wrong =
        all.iter().find_map(|soul| keeper::not_in_force(soul).map(|(why, fix)| (soul, why, fix)));
    let Some((soul, why, fix)) = wrong else {
        let path = shared.places.souls().display().to_string();
        let detail = format!("{} in {path}", all.len());
        return ok(
            CheckAbout::Souls,
            detail,
            Finding::SoulsInForce { count: count(all.len()), path },
        );
    };
    let until_then = match soul.version {
        ..1 => "no agent can be made of it".to_owned(),
        version => format!("version {version} stays in force"),
    };
    let (path, problem) = (soul.path.clone(), soul.problem.clone());
    degraded(
        CheckAbout::Souls,
        why,
        &format!("{fix}; until then {until_then}"),
        Finding::SoulNotInForce { path, problem, version: soul.version },
    )
}

/// The first skill whose file is wrong, if there are any skills.
fn skill_files(shared: &Arc<Shared>) -> Option<Check> {
    const ABOUT: CheckAbout = CheckAbout::Skills;
    let all = match skills::all(shared) {
        Ok(all) => all,
        Err(fault) => return Some(failed(ABOUT, CheckState::Broken, fault)),
    };
    let wrong = all.iter().find_map(|skill| Some((skill, skill.problem.clone()?)));
    let Some((skill, problem)) = wrong else {
        let path = shared.places.skills().display().to_string();
        let finding = Finding::SkillsInForce { count: count(all.len()), path: path.clone() };
        return (!all.is_empty()).then(|| ok(ABOUT, format!("{} in {path}", all.len()), finding));
    };
    let (path, kept) = (skill.path.clone(), skill.hash.is_some());
    let until_then = match kept {
        true => "what it said before stays in force",
        false => "no agent can use it",
    };
    Some(degraded(
        ABOUT,
        format!("{path}:{}:{}: {}", problem.line, problem.column, problem.message),
        &format!("correct the file; until then {until_then}"),
        Finding::SkillNotInForce { path, problem, kept },
    ))
}

/// The first prompt of the person's own that cannot be used, if there is one.
fn own_prompts(shared: &Arc<Shared>) -> Option<Check> {
    let detail = shared.prompts.problems().into_iter().next()?;
    Some(degraded(
        CheckAbout::Prompts,
        detail.clone(),
        "correct the file or remove it; until then the prompt that Coterie brings is used",
        Finding::PromptUnused { detail },
    ))
}

/// What the person says of themselves; too much of it is cut in prompts.
fn about_person(shared: &Arc<Shared>) -> Check {
    let path = shared.places.profile().display().to_string();
    let text = match profile::read(&shared.places) {
        Ok(text) => text,
        Err(why) => {
            let detail = why.to_string();
            return degraded(
                CheckAbout::Profile,
                format!("{path} cannot be read: {detail}"),
                "correct the file; until then agents are told nothing of it",
                Finding::ProfileUnreadable { path, detail },
            );
        }
    };
    let tokens = tokens::of(&text);
    let chosen = shared.store.read(|read| {
        let model = settings::get(read)?.models.default.clone().unwrap_or_default();
        Served::find(read, &model).map(|served| served.info)
    });
    let reads = chosen.ok().flatten().and_then(|info| info.window_tokens());
    let most = prompts::profile_share(window::Window::new(reads, None).tokens);
    if tokens > most {
        return degraded(
            CheckAbout::Profile,
            format!("{path} has {tokens} tokens, of which agents are sure to read {most}"),
            "shorten it, or choose a model that reads more",
            Finding::ProfileLong { path, tokens, most },
        );
    }
    match text.is_empty() {
        true => ok(
            CheckAbout::Profile,
            format!("{path} says nothing yet"),
            Finding::ProfileEmpty { path },
        ),
        false => ok(CheckAbout::Profile, path.clone(), Finding::At { path }),
    }
}

/// Whether keys can be kept and read where they are. Nothing is broken by that
/// alone: a model on this machine needs no key.
async fn keyring(shared: &Arc<Shared>) -> Check {
    const ABOUT: CheckAbout = CheckAbout::Keyring;
    let found = match keys::check(shared).await {
        Ok(found) => found,
        Err(fault) => return failed(ABOUT, CheckState::Degraded, fault),
    };
    if let Some(fault) = found.list {
        return failed(ABOUT, CheckState::Degraded, fault);
    }
    let lie_in = |place: &KeyPlace| found.keys.iter().filter(|key| key.place == *place).count();
    let (in_keyring, in_file) = (lie_in(&KeyPlace::Keyring), lie_in(&KeyPlace::Sealed));
    let needed = found.home == KeyHome::Keyring || in_keyring > 0;
    if let Some(fault) = found.keyring.filter(|_| needed) {
        return failed(ABOUT, CheckState::Degraded, fault);
    }
    if found.to_be_moved > 0 {
        return degraded(
            ABOUT,
            format!("{} keys lie in the other place than new ones", found.to_be_moved),
            "coterie key move keyring, or coterie key move sealed",
            Finding::KeysApart { keys: found.to_be_moved },
        );
    }
    match (found.home, found.sealed) {
        (KeyHome::Keyring, _) => {
            let name = found.keyring_name;
            let detail = format!("{name} can be used; keys in it: {in_keyring}");
            ok(ABOUT, detail, Finding::KeyringWorks { name, keys: count(in_keyring) })
        }
        (KeyHome::Sealed, SealedFile::Open) => ok(
            ABOUT,
            format!("the sealed file is open; keys in it: {in_file}"),
            Finding::SealedOpen { keys: count(in_file) },
        ),
        (KeyHome::Sealed, SealedFile::Locked) => degraded(
            ABOUT,
            format!("the sealed file is locked; keys in it: {in_file}"),
            "enter its passphrase in Settings under Keys, or with coterie key unlock",
            Finding::SealedLocked { keys: count(in_file) },
        ),
        (KeyHome::Sealed, SealedFile::Absent) => degraded(
            ABOUT,
            "the sealed file that keys go to is gone".to_owned(),
            "put it back, or go over to the keyring with coterie key move keyring",
            Finding::SealedGone,
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
                FaultCode::NoModel => fault.fix.clone(),
                _ => format!("{}; then: coterie agent resume {name}", fault.fix),
            };
            let (about, detail) = (CheckAbout::Agent { name }, fault.message.clone());
            degraded(about, detail, &fix, Finding::AgentStopped { fault })
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
        let told = keys::models_of(shared, provider.clone(), None).await;
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
        Err(fault) => return failed(CheckAbout::DefaultModel, CheckState::Broken, fault),
    };
    const ABOUT: CheckAbout = CheckAbout::DefaultModel;
    let model = settings.models.default.clone().unwrap_or_default();
    match answers(shared, &model, told) {
        Ok(Some(info)) if info.demo => degraded(
            ABOUT,
            format!("{model}, a small demo model that knows English only"),
            "connect a better one: coterie provider add NAME --url URL",
            Finding::ModelDemo { model },
        ),
        Ok(_) if is_unnamed(shared, &model, told) => degraded(
            ABOUT,
            format!("{model}, which its provider does not name among its models"),
            "it may answer all the same; else choose another: coterie model use default PROVIDER/MODEL",
            Finding::ModelUnlisted { model },
        ),
        Ok(_) => ok(ABOUT, model.clone(), Finding::Model { model }),
        Err(fault) if living.iter().any(|agent| has_its_own(shared, agent, &settings, told)) => {
            failed(ABOUT, CheckState::Degraded, fault)
        }
        Err(fault) => broken(
            ABOUT,
            format!("no agent can answer: {}", fault.message),
            &fault.fix.clone(),
            Finding::NobodyAnswers { fault },
        ),
    }
}

fn has_its_own(shared: &Arc<Shared>, agent: &Agent, settings: &Settings, told: &[Told]) -> bool {
    let soul = shared.souls.worn(agent);
    let model = effective(agent.model.as_deref(), &soul.front, settings).model;
    model.is_some_and(|model| answers(shared, &model, told).is_ok())
}

/// Whether a model can be asked, as far as that can be known without asking
/// it; what is known of it, or what stands in the way.
fn answers(shared: &Arc<Shared>, model: &str, told: &[Told]) -> Result<Option<ModelInfo>, Fault> {
    let Served { provider, info, .. } = shared.store.read(|read| Served::find(read, model))?;
    let listed = told.iter().find(|(known, _)| known.name == provider.name);
    let Some((_, listed)) = listed else { return Ok(info) };
    let listed = listed.as_ref().map_err(Fault::clone)?;
    if provider.kind != ProviderKind::Local {
        return Ok(info);
    }
    let again = "install Coterie again, or run make assets; or choose another model";
    let missing = |what: String, kind| Err(Fault::new(FaultCode::Engine, what, again).of(kind));
    if !shared.places.engine.exists() {
        let kind = FaultKind::EngineMissing { model: model.to_owned() };
        return missing(format!("{model} needs the engine, which is missing"), kind);
    }
    if !listed.iter().any(|one| is_named(one, model)) {
        let kind = FaultKind::ModelGone { model: model.to_owned() };
        return missing(format!("the file of {model} is missing"), kind);
    }
    if let Some(wrong) = models::own::wrong_with(shared, model) {
        return Err(Fault { code: FaultCode::Engine, fix: again.to_owned(), ..wrong });
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
        let about = CheckAbout::Provider { name: provider.name.clone() };
        let models = match told {
            Ok(models) => models.len(),
            Err(fault) => return failed(about, CheckState::Degraded, fault.clone()),
        };
        let tells_anybody = tells_anybody(shared, provider.clone()).await;
        let left_alone = shared.circuits.left_alone(&provider.name);
        let left_alone_seconds = left_alone.map(|left| left.as_secs_f64().ceil() as u32);
        let unchecked = match tells_anybody {
            true => "; it tells them to anybody, so the key is not checked",
            false => "",
        };
        // Calls fail at once for a while, whatever it says now.
        let alone = left_alone_seconds.map_or(String::new(), |seconds| {
            format!("; calls did not reach it, so it is left alone for another {seconds} s")
        });
        ok(
            about,
            format!("answers; models: {models}{unchecked}{alone}"),
            Finding::ProviderAnswers { models: count(models), tells_anybody, left_alone_seconds },
        )
    });
    futures::future::join_all(looked).await
}

/// Whether a provider that has a key does not look at it before it lists its
/// models.
async fn tells_anybody(shared: &Arc<Shared>, provider: Provider) -> bool {
    let stranger = Provider { key_env: None, key: None, ..provider.clone() };
    (provider.key_env.is_some() || provider.key.is_some())
        && keys::models_of(shared, stranger, None).await.is_ok()
}
