//! `coterie provider …`: who serves models.

use crate::key;
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::table::table;
use clap::{Subcommand, ValueEnum};
use domain::{
    AgentState, Command as Order, Fault, FaultCode, LeftAlone, ModelInfo, Overview, Preset,
    Provider, ProviderKind, Query, Secret,
};
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::timeout;

/// So long a server is asked what it says of models that are named without it.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Subcommand)]
pub(crate) enum Command {
    /// The providers that are set up
    List,
    /// Connect a model server, or a scripted trace; replaces one of the same name
    Add {
        /// What stands before the slash in PROVIDER/MODEL; one that many use is known by its name, such as openai
        name: String,
        /// A service or a server that many use, for one with a name of its own
        #[arg(long, value_name = "NAME", conflicts_with = "trace")]
        preset: Option<String>,
        /// Where its interface begins, such as http://127.0.0.1:1234/v1 [default: where it is known to be]
        #[arg(long, conflicts_with = "trace")]
        url: Option<String>,
        /// What it speaks [default: what it is known to speak, else openai]
        #[arg(long, conflicts_with = "trace")]
        kind: Option<Interface>,
        /// Keep its key: type it unseen, or pass it on standard input
        #[arg(long, conflicts_with_all = ["key_env", "trace"])]
        key: bool,
        /// The environment variable that holds its key
        #[arg(long, value_name = "VARIABLE")]
        key_env: Option<String>,
        /// A trace file to play instead of asking a model
        #[arg(long, value_name = "FILE")]
        trace: Option<PathBuf>,
        /// A model that it has; can be given more than once [default: what it says it has]
        #[arg(long = "model", value_name = "MODEL")]
        models: Vec<String>,
    },
    /// Ask a provider for its models
    Test {
        /// The provider's name
        name: String,
    },
    /// Forget a provider; agents whose model it serves need another one
    Remove {
        /// The provider's name
        name: String,
    },
    /// Look for model servers on this machine
    Discover,
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List => list(session).await,
        Command::Add { name, preset, url, kind, key, key_env, trace, models } => {
            let models = models.into_iter().map(named).collect();
            let provider = match trace {
                Some(file) => Provider {
                    name,
                    kind: ProviderKind::Scripted,
                    base_url: Some(absolute(&file)?),
                    key_env: None,
                    key: None,
                    models,
                },
                None => {
                    let given = Provider {
                        name,
                        kind: kind.map_or(ProviderKind::Openai, ProviderKind::from),
                        base_url: url,
                        key_env,
                        key: None,
                        models,
                    };
                    completed(session, given, preset.as_deref(), kind.is_some()).await?
                }
            };
            let mut all = session.overview().await?.providers.into_iter();
            let before = all.find(|one| one.name == provider.name);
            let provider = match key {
                false => asked_with(session, before.as_ref(), provider, preset.as_deref()).await?,
                true => provider,
            };
            let key = match key {
                true => Some(key::entered(session, &own_key(&provider.name)).await?),
                false => None,
            };
            add(session, Added { provider, key, before }).await
        }
        Command::Test { name } => test(session, &name).await,
        Command::Remove { name } => {
            let provider = session.names().await?.provider(&name)?.name.clone();
            remove(session, provider).await
        }
        Command::Discover => discover(session).await,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Interface {
    Openai,
    Anthropic,
    Gemini,
    Ollama,
}

impl From<Interface> for ProviderKind {
    fn from(interface: Interface) -> Self {
        match interface {
            Interface::Openai => ProviderKind::Openai,
            Interface::Anthropic => ProviderKind::Anthropic,
            Interface::Gemini => ProviderKind::Gemini,
            Interface::Ollama => ProviderKind::Ollama,
        }
    }
}

/// What was not said, as far as the preset or else the name tells it.
async fn completed(
    session: &Session,
    given: Provider,
    preset: Option<&str>,
    kind_given: bool,
) -> Result<Provider, Failure> {
    let presets = presets(session).await?;
    let wanted = preset.unwrap_or(&given.name);
    let Some(known) = presets.iter().find(|preset| preset.name == wanted) else {
        if given.base_url.is_some() && preset.is_none() {
            return Ok(given);
        }
        let names: Vec<&str> = presets.iter().map(|preset| preset.name.as_str()).collect();
        let names = names.join(", ");
        return Err(match preset {
            Some(wanted) => Fault::bad_input(
                format!("there is no preset called {wanted}"),
                format!("use one of these, or --url URL: {names}"),
            ),
            None => Fault::bad_input(
                format!("where {} is has to be said", given.name),
                format!("give --url URL, or use a name that is known: {names}"),
            ),
        }
        .into());
    };
    Ok(Provider {
        kind: if kind_given { given.kind } else { known.kind },
        base_url: given.base_url.or_else(|| Some(known.base_url.clone())),
        ..given
    })
}

async fn presets(session: &Session) -> Result<Vec<Preset>, Failure> {
    Ok(answered!(session.ask(Query::Presets).await?, Presets)?)
}

/// Where no key is given with it: one that is there is asked as before where something
/// else of it is corrected, and another server is shown nothing of that. A known service
/// is asked with the variable that is usual for it.
async fn asked_with(
    session: &Session,
    before: Option<&Provider>,
    given: Provider,
    preset: Option<&str>,
) -> Result<Provider, Failure> {
    if given.key_env.is_some() {
        return Ok(given);
    }
    let keyed = before.filter(|before| before.key.is_some() || before.key_env.is_some());
    if let Some(before) = keyed.filter(|before| before.server() == given.server()) {
        let (key, key_env) = (before.key.clone(), before.key_env.clone());
        return Ok(Provider { key, key_env, ..given });
    }
    let known = presets(session).await?.into_iter().find(|known| {
        let server = Provider { base_url: Some(known.base_url.clone()), ..given.clone() }.server();
        known.name == preset.unwrap_or(&given.name) && server == given.server()
    });
    if let Some(before) = keyed {
        let name = &given.name;
        let was_for = before.server().unwrap_or_else(|| "another kind of server".to_owned());
        session.screen.aside(&match &before.key_env {
            Some(variable) if before.key.is_none() => {
                format!("{variable}, the key of {name}, was for {was_for} and is not kept for another server; give --key or --key-env to set one")
            }
            _ => format!(
                "the key of {name} was for {was_for} and is not kept for another server; give --key to set one"
            ),
        });
    }
    Ok(Provider { key_env: known.and_then(|known| known.key_env), ..given })
}

/// Its own key goes with it, unless the place of the key cannot be reached.
async fn remove(session: &Session, provider: String) -> Result<(), Failure> {
    let users = users_of(&provider, &session.names().await?.overview);
    session.order(Order::RemoveProvider { provider: provider.clone() }).await?;
    for (user, model) in users {
        session.screen.aside(&format!("{user} was to use {model}, which nobody serves now"));
    }
    let name = own_key(&provider);
    if key::look(session, false).await?.keys.iter().any(|key| key.name == name) {
        session.screen.aside(&format!("its key stays: coterie key remove {name} says why"));
    }
    session.screen.one(&(), |_| format!("{provider} is removed"));
    Ok(())
}

/// The roles and the agents that name a model of this provider, each with the model.
fn users_of(provider: &str, overview: &Overview) -> Vec<(String, String)> {
    let its = |model: &str| model.split_once('/').is_some_and(|(of, _)| of == provider);
    let roles = overview.settings.models.named();
    let roles = roles.into_iter().map(|(role, model)| (format!("the role {role}"), model));
    let alive = overview.agents.iter().filter(|agent| agent.state != AgentState::Terminated);
    let agents = alive.map(|agent| (agent.name.clone(), agent.model.as_deref()));
    let users = roles.chain(agents).filter_map(|(user, model)| Some((user, model?.to_owned())));
    users.filter(|(_, model)| its(model)).collect()
}

fn named(name: String) -> ModelInfo {
    ModelInfo::new(name, None)
}

fn absolute(file: &std::path::Path) -> Result<String, Fault> {
    let found = std::fs::canonicalize(file).map_err(|error| {
        Fault::not_found(
            format!("read {}: {error}", file.display()),
            "give the path of a trace file",
        )
    })?;
    Ok(found.display().to_string())
}

struct Added {
    provider: Provider,
    key: Option<Secret>,
    /// What it replaces.
    before: Option<Provider>,
}

/// Without models of its own it is asked for them, so that a wrong address or
/// key shows at once: a key is kept only where it is not refused.
async fn add(session: &Session, added: Added) -> Result<(), Failure> {
    let Added { mut provider, key, before } = added;
    if provider.models.is_empty() {
        provider.models = match provider.kind {
            ProviderKind::Openai
            | ProviderKind::Anthropic
            | ProviderKind::Gemini
            | ProviderKind::Ollama => {
                let found = models_of(session, &provider, key.clone()).await;
                let found = found.map_err(|fault| not_added(&provider, key.is_some(), fault))?;
                say_if_key_is_unchecked(session, &provider, key.is_some()).await;
                with_windows_so_far(before.as_ref(), found)
            }
            ProviderKind::Scripted | ProviderKind::Local => vec![named("demo".to_owned())],
        };
    } else {
        provider.models = with_windows_told(session, &provider, key.clone()).await;
    }
    if provider.kind == ProviderKind::Scripted {
        // Reads the trace, and so finds what is wrong in it.
        models_of(session, &provider, None).await?;
    }
    let replaces = before.map(Box::new);
    let order = Order::SaveProvider { provider, key, replaces };
    let provider = answered!(session.order(order).await?, Provider)?;
    session.screen.one(&provider, |_| match provider.models.first() {
        Some(model) => format!(
            "{} has {}; use one with coterie model use default {}/{}",
            provider.name,
            counted(provider.models.len()),
            provider.name,
            model.name
        ),
        None => format!("{} is connected and says that it has no models", provider.name),
    });
    Ok(())
}

/// Models that are named by hand, with what the server says of how much each reads. It need
/// not be there yet.
async fn with_windows_told(
    session: &Session,
    provider: &Provider,
    key: Option<Secret>,
) -> Vec<ModelInfo> {
    let told = timeout(PATIENCE, models_of(session, provider, key)).await;
    let told = told.ok().and_then(Result::ok).unwrap_or_default();
    let known = |named: &ModelInfo| told.iter().find(|one| one.name == named.name).cloned();
    let named = provider.models.iter();
    named.map(|named| known(named).unwrap_or_else(|| named.clone())).collect()
}

/// What a provider's own key is called.
fn own_key(provider: &str) -> String {
    format!("provider/{provider}")
}

/// What a person says of how much a model reads stays, even where the server does not
/// name the model, and what was known of it where the server says nothing.
fn with_windows_so_far(before: Option<&Provider>, found: Vec<ModelInfo>) -> Vec<ModelInfo> {
    let before = before.map(|one| one.models.as_slice()).unwrap_or_default();
    let is_found = |known: &ModelInfo| found.iter().any(|model| model.name == known.name);
    let said = before.iter().filter(|known| known.chosen_tokens.is_some() && !is_found(known));
    let said: Vec<ModelInfo> = said.cloned().collect();
    let with_window = found.into_iter().map(|model| {
        let Some(known) = before.iter().find(|one| one.name == model.name) else { return model };
        ModelInfo {
            context_tokens: model.context_tokens.or(known.context_tokens),
            chosen_tokens: known.chosen_tokens,
            ..model
        }
    });
    with_window.chain(said).collect()
}

/// What helps at the command line, where there is no provider yet to correct.
fn not_added(provider: &Provider, entered: bool, fault: Fault) -> Fault {
    let fix = match (fault.code, &provider.key_env) {
        (FaultCode::Key, _) if entered => "add it again and enter another key".to_owned(),
        (FaultCode::Key, Some(variable)) => {
            format!("set {variable} to a valid key where Coterie runs, and add it again")
        }
        (FaultCode::Key, None) => {
            "add it again with --key, or with --key-env VARIABLE, which names where its key is"
                .to_owned()
        }
        (FaultCode::Provider, _) => {
            let end = match provider.kind {
                ProviderKind::Openai | ProviderKind::Anthropic => ", which usually ends in /v1",
                ProviderKind::Gemini => ", which usually ends in /v1beta",
                ProviderKind::Ollama => ", which ends at the port",
                ProviderKind::Local | ProviderKind::Scripted => "",
            };
            format!(
                "start it, or correct --url{end}, and add it again; with --model MODEL it is \
                 added without being asked"
            )
        }
        _ => fault.fix,
    };
    Fault { message: format!("{}; it was not added", fault.message), fix, ..fault }
}

/// Whether it tells anybody which models it has: then it has not looked at the key.
pub(crate) async fn is_open(session: &Session, provider: &Provider) -> bool {
    let stranger = Provider { key_env: None, key: None, ..provider.clone() };
    models_of(session, &stranger, None).await.is_ok()
}

async fn say_if_key_is_unchecked(session: &Session, provider: &Provider, entered: bool) {
    let key = match &provider.key_env {
        _ if entered || provider.key.is_some() => "its key".to_owned(),
        Some(variable) => format!("the key in {variable}"),
        None => return,
    };
    if is_open(session, provider).await {
        session.screen.aside(&format!(
            "{} lists its models to anybody, so {key} has not been checked",
            provider.name
        ));
    }
}

async fn models_of(
    session: &Session,
    provider: &Provider,
    key: Option<Secret>,
) -> Result<Vec<ModelInfo>, Fault> {
    let query = Query::ModelsOf { provider: provider.clone(), key };
    answered!(session.ask(query).await?, Models)
}

async fn list(session: &Session) -> Result<(), Failure> {
    let providers = session.overview().await?.providers;
    let left_alone = answered!(session.ask(Query::LeftAlone).await?, LeftAlone)?;
    session.screen.many(&providers, |paint| {
        let rows = providers.iter().map(|provider| {
            let address = provider.base_url.clone().unwrap_or_else(|| "built in".to_owned());
            let variable = provider.key_env.as_ref().map(|name| format!("${name}"));
            let key = provider.key.clone().or(variable).unwrap_or_default();
            [
                provider.name.clone(),
                kind(provider.kind).to_owned(),
                address,
                key,
                provider.models.len().to_string(),
                rests(&left_alone, &provider.name),
            ]
        });
        table(paint, ["provider", "kind", "address", "key", "models", ""], rows.collect())
    });
    Ok(())
}

/// For how long nobody is asked, after calls that did not reach it.
fn rests(left_alone: &[LeftAlone], provider: &str) -> String {
    let rests = left_alone.iter().find(|left| left.provider == provider);
    rests.map_or(String::new(), |left| format!("left alone for {} s", left.for_ms.div_ceil(1000)))
}

fn kind(kind: ProviderKind) -> &'static str {
    match kind {
        ProviderKind::Openai => "openai",
        ProviderKind::Anthropic => "anthropic",
        ProviderKind::Gemini => "gemini",
        ProviderKind::Ollama => "ollama",
        ProviderKind::Local => "local",
        ProviderKind::Scripted => "scripted",
    }
}

async fn test(session: &Session, name: &str) -> Result<(), Failure> {
    let names = session.names().await?;
    let provider = names.provider(name)?;
    let models = models_of(session, provider, None).await?;
    say_if_key_is_unchecked(session, provider, false).await;
    session.screen.many(&models, |_| {
        let list = models.iter().map(|model| format!("  {}/{}\n", provider.name, model.name));
        format!(
            "{} answers and has {}\n{}",
            provider.name,
            counted(models.len()),
            list.collect::<String>()
        )
    });
    Ok(())
}

fn counted(models: usize) -> String {
    if models == 1 { "1 model".to_owned() } else { format!("{models} models") }
}

async fn discover(session: &Session) -> Result<(), Failure> {
    let offers = answered!(session.ask(Query::Discover).await?, Offers)?;
    session.screen.many(&offers, |_| {
        if offers.is_empty() {
            return "no model server that is not set up yet runs on this machine\n".to_owned();
        }
        let lines = offers.iter().map(|offer| {
            format!(
                "{} has {}: coterie provider add {} --url {}\n",
                offer.title,
                counted(offer.models.len()),
                offer.name,
                offer.base_url
            )
        });
        lines.collect()
    });
    Ok(())
}
