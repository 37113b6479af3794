//! `coterie model …`: which models there are, and which are used.

mod cache;
mod files;
mod listed;
mod prices;
mod window;

use crate::money::usd;
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::table::table;
use crate::words;
use clap::Subcommand;
use domain::{
    Command as Order, Fault, ModelChoice, ModelInfo, ModelRole, Price, Query, SettingsPatch,
};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// The models of all providers
    List,
    /// Put a GGUF file on the list, to be run by Coterie's own engine
    Add {
        /// The file; it stays where it is
        file: PathBuf,
    },
    /// Take a GGUF file off the list; the file stays
    Remove {
        /// Its path, or as coterie model list shows it
        file: PathBuf,
    },
    /// Models of providers that compare texts, for the role embedding
    Embedding,
    /// Models that are files on this machine: how large they are and what they read
    Files,
    /// Answers that models are not asked for twice within an hour
    Cache {
        #[command(subcommand)]
        command: cache::Command,
    },
    /// Use a model, as PROVIDER/MODEL, for a role
    Use {
        /// default, fast, reasoning, embedding or fallback
        #[arg(value_parser = role)]
        role: ModelRole,
        /// As coterie model list shows it
        model: String,
        /// Also where the provider does not name it among its models
        #[arg(long)]
        force: bool,
    },
    /// Use no model of its own for a role: the default one serves it
    Unset {
        /// fast, reasoning, embedding or fallback
        #[arg(value_parser = role)]
        role: ModelRole,
    },
    /// Say how much a model reads and writes at once, whatever its provider says
    Window {
        /// PROVIDER/MODEL
        model: String,
        /// In tokens, such as 131072
        #[arg(required_unless_present = "reset")]
        tokens: Option<u32>,
        /// As much as its provider says again
        #[arg(long, conflicts_with = "tokens")]
        reset: bool,
    },
    /// What models cost, as far as that was said
    Prices,
    /// Say what a model costs, so that budgets and records count its money
    Price {
        /// PROVIDER/MODEL; each * in it stands for whatever is there, as in 'lab/*:free'
        model: String,
        /// US dollars for a million tokens that it reads
        #[arg(long, value_name = "USD", value_parser = usd)]
        input: i64,
        /// US dollars for a million tokens that it writes
        #[arg(long, value_name = "USD", value_parser = usd)]
        output: i64,
        /// US dollars for a million tokens out of the provider's cache [default: as input]
        #[arg(long, value_name = "USD", value_parser = usd)]
        cached: Option<i64>,
        /// US dollars for a million tokens into the provider's cache [default: as input]
        #[arg(long, value_name = "USD", value_parser = usd)]
        cache_write: Option<i64>,
        /// The day on which this is its price, as 2026-11-21 [default: today]
        #[arg(long, value_name = "DAY", value_parser = day)]
        as_of: Option<String>,
    },
    /// Take back what was said of a model's price
    Unprice {
        /// As coterie model prices shows it
        model: String,
    },
}

fn role(word: &str) -> Result<ModelRole, String> {
    serde_json::from_value(word.into())
        .map_err(|_| "choose one of default, fast, reasoning, embedding, fallback".to_owned())
}

fn day(word: &str) -> Result<String, String> {
    let day: Result<jiff::civil::Date, _> = word.parse();
    day.map(|day| day.to_string()).map_err(|_| "give a day as 2026-11-21".to_owned())
}

#[derive(Serialize)]
struct Models {
    /// Which one serves which role.
    roles: ModelChoice,
    /// Their names with the provider's.
    models: Vec<Listed>,
}

#[derive(Serialize)]
struct Listed {
    #[serde(flatten)]
    info: ModelInfo,
    /// What it reads and writes at once, whoever says so.
    window_tokens: Option<u32>,
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List => list(session).await,
        Command::Add { file } => files::add(session, &file).await,
        Command::Remove { file } => files::remove(session, &file).await,
        Command::Embedding => embedding(session).await,
        Command::Files => files::list(session).await,
        Command::Cache { command } => cache::run(session, command).await,
        Command::Use { role, model, force } => {
            // What makes vectors is on no list of models that answer; it is tried.
            if !force && role != ModelRole::Embedding {
                listed::check(session, &model).await?;
            }
            let settings =
                answered!(session.order(Order::UseModel { role, model }).await?, Settings)?;
            if role == ModelRole::Embedding {
                session.screen.aside(
                    "memories and what is looked for are sent to it from now on; \
                     coterie model unset embedding goes back to the model that ships",
                );
            }
            show_roles(session, &settings.models);
            Ok(())
        }
        Command::Unset { role } => unset(session, role).await,
        Command::Window { model, tokens, reset: _ } => window::set(session, &model, tokens).await,
        Command::Prices => {
            prices::show(session, session.overview().await?.settings.prices);
            Ok(())
        }
        Command::Price { model, input, output, cached, cache_write, as_of } => {
            let today = || jiff::Timestamp::from_millisecond(words::now_ms()).map(on_day);
            let price = Price {
                model,
                input_microusd: input,
                cached_microusd: cached,
                cache_write_microusd: cache_write,
                output_microusd: output,
                as_of: as_of.or_else(|| today().ok()),
                by_provider: false,
            };
            prices::set(session, price).await
        }
        Command::Unprice { model } => prices::unset(session, model).await,
    }
}

fn on_day(moment: jiff::Timestamp) -> String {
    moment.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
}

async fn unset(session: &Session, role: ModelRole) -> Result<(), Failure> {
    if role == ModelRole::Default {
        return Err(Fault::bad_input(
            "there must be a default model",
            "choose another one with coterie model use default PROVIDER/MODEL",
        )
        .into());
    }
    let patch = SettingsPatch { no_model_for: Some(role), ..SettingsPatch::default() };
    let settings = answered!(session.order(Order::ChangeSettings { patch }).await?, Settings)?;
    show_roles(session, &settings.models);
    Ok(())
}

fn show_roles(session: &Session, models: &ModelChoice) {
    session.screen.one(models, |_| {
        let line = |(role, model)| match role {
            "fast" if models.fast.is_none() && models.default.is_some() => {
                format!("fast: {model} (looks back at no conversation until you choose it)\n")
            }
            _ => format!("{role}: {model}\n"),
        };
        roles(models).map(line).concat()
    });
}

fn roles(choice: &ModelChoice) -> [(&'static str, &str); 5] {
    let default = choice.default.as_deref().unwrap_or("none yet");
    [
        ("default", default),
        ("fast", choice.fast.as_deref().unwrap_or(default)),
        ("reasoning", choice.reasoning.as_deref().unwrap_or(default)),
        ("embedding", choice.embedding.as_deref().unwrap_or("the one that ships")),
        ("fallback", choice.fallback.as_deref().unwrap_or("none")),
    ]
}

async fn embedding(session: &Session) -> Result<(), Failure> {
    let models = answered!(session.ask(Query::VectorModels).await?, VectorModels)?;
    session.screen.one(&models, |_| match models.as_slice() {
        [] => "no provider lists one; one that you know can be used by its name\n".to_owned(),
        models => models.iter().map(|model| format!("{model}\n")).collect(),
    });
    Ok(())
}

async fn list(session: &Session) -> Result<(), Failure> {
    let overview = session.overview().await?;
    let windows = window::of_files(session).await?;
    let models = overview.providers.into_iter().flat_map(|provider| {
        let prefix = provider.name;
        provider
            .models
            .into_iter()
            .map(move |model| ModelInfo { name: format!("{prefix}/{}", model.name), ..model })
    });
    let models = models.map(|info| {
        let of_file = windows.iter().find(|(model, _)| *model == info.name);
        let window_tokens = of_file.map(|(_, tokens)| *tokens).or(info.window_tokens());
        Listed { info, window_tokens }
    });
    let models = Models { roles: overview.settings.models, models: models.collect() };
    session.screen.one(&models, |paint| {
        let rows = models.models.iter().map(|Listed { info, window_tokens }| {
            let used = roles(&models.roles).into_iter().filter(|(_, used)| *used == info.name);
            let used: Vec<&str> = used.map(|(role, _)| role).collect();
            let window = window_tokens.map(|tokens| tokens.to_string()).unwrap_or_default();
            let note = if info.demo { "small, for looking around" } else { "" };
            [info.name.clone(), window, used.join(", "), note.to_owned()]
        });
        table(paint, ["model", "context tokens", "used as", ""], rows.collect())
    });
    Ok(())
}
