//! `coterie model …`: which models there are, and which are used.

use crate::money::{dollars, usd};
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::table::table;
use clap::Subcommand;
use domain::{Command as Order, ModelChoice, ModelInfo, ModelRole, Price, SettingsPatch};
use serde::Serialize;
use std::cmp::Reverse;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// The models of all providers
    List,
    /// Use a model, as PROVIDER/MODEL, for a role
    Use {
        /// default, fast or reasoning
        #[arg(value_parser = role)]
        role: ModelRole,
        /// As coterie model list shows it
        model: String,
    },
    /// Say what a model costs, so that budgets and records count its money
    Price {
        /// PROVIDER/MODEL; a * at the end stands for whatever follows
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
    },
}

fn role(word: &str) -> Result<ModelRole, String> {
    serde_json::from_value(word.into())
        .map_err(|_| "choose one of default, fast, reasoning".to_owned())
}

#[derive(Serialize)]
struct Models {
    /// Which one serves which role.
    roles: ModelChoice,
    /// Their names with the provider's.
    models: Vec<ModelInfo>,
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List => list(session).await,
        Command::Use { role, model } => {
            let settings =
                answered!(session.order(Order::UseModel { role, model }).await?, Settings)?;
            session.screen.one(&settings.models, |_| {
                roles(&settings.models).map(|(role, model)| format!("{role}: {model}\n")).concat()
            });
            Ok(())
        }
        Command::Price { model, input, output, cached } => {
            let price = Price {
                model,
                input_microusd: input,
                cached_microusd: cached,
                output_microusd: output,
            };
            set_price(session, price).await
        }
    }
}

/// The first price that fits a model holds, so what is said of fewer models
/// stands before what is said of more.
async fn set_price(session: &Session, price: Price) -> Result<(), Failure> {
    let mut prices = session.overview().await?.settings.prices;
    prices.retain(|other| other.model != price.model);
    prices.push(price);
    prices.sort_by_key(|price| (price.model.ends_with('*'), Reverse(price.model.len())));
    let patch = SettingsPatch { prices: Some(prices), ..SettingsPatch::default() };
    let settings = answered!(session.order(Order::ChangeSettings { patch }).await?, Settings)?;
    session.screen.many(&settings.prices, |paint| {
        let heads = ["model", "read", "out of the cache", "written"];
        let row = |price: &Price| {
            let cached = price.cached_microusd.unwrap_or(price.input_microusd);
            [
                price.model.clone(),
                dollars(price.input_microusd),
                dollars(cached),
                dollars(price.output_microusd),
            ]
        };
        table(paint, heads, settings.prices.iter().map(row).collect())
    });
    Ok(())
}

fn roles(choice: &ModelChoice) -> [(&'static str, &str); 3] {
    let default = choice.default.as_deref().unwrap_or("none yet");
    [
        ("default", default),
        ("fast", choice.fast.as_deref().unwrap_or(default)),
        ("reasoning", choice.reasoning.as_deref().unwrap_or(default)),
    ]
}

async fn list(session: &Session) -> Result<(), Failure> {
    let overview = session.overview().await?;
    let models = overview.providers.into_iter().flat_map(|provider| {
        let prefix = provider.name;
        provider
            .models
            .into_iter()
            .map(move |model| ModelInfo { name: format!("{prefix}/{}", model.name), ..model })
    });
    let models = Models { roles: overview.settings.models, models: models.collect() };
    session.screen.one(&models, |paint| {
        let rows = models.models.iter().map(|model| {
            let used = roles(&models.roles).into_iter().filter(|(_, used)| *used == model.name);
            let used: Vec<&str> = used.map(|(role, _)| role).collect();
            let window = model.context_tokens.map(|tokens| tokens.to_string()).unwrap_or_default();
            let note = if model.demo { "small, for looking around" } else { "" };
            [model.name.clone(), window, used.join(", "), note.to_owned()]
        });
        table(paint, ["model", "context tokens", "used as", ""], rows.collect())
    });
    Ok(())
}
