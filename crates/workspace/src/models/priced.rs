//! What providers' models cost, as they say or as the table that ships knows, in
//! the person's table of prices.

use crate::prices;
use crate::shared::Shared;
use domain::{Fault, Price, Provider};
use std::sync::Arc;
use store::table::{providers, settings};
use store::{Durability, Write};

/// What came of it when it was last asked for its models. What it said itself is
/// as of today.
pub(crate) fn said(shared: &Shared, provider: &str) -> Vec<Price> {
    let today = prices::day(shared.now_ms()).map(|today| today.to_string());
    let said = shared.models.prices(provider).into_iter();
    said.map(|price| Price {
        as_of: price.as_of.or_else(|| today.clone()),
        by_provider: true,
        ..price
    })
    .collect()
}

/// A provider was asked for its models again: what it says of prices counts from
/// now on, if it is the one that is set up under this name.
pub(crate) async fn follow(shared: &Arc<Shared>, asked: &Provider) -> Result<(), Fault> {
    let said = said(shared, &asked.name);
    let asked = asked.clone();
    let follow = move |write: &mut Write<'_>| match providers::get(write, &asked.name)? {
        Some(known) if known.kind == asked.kind && known.base_url == asked.base_url => {
            take_up(write, &known, said)
        }
        Some(_) | None => Ok(()),
    };
    shared.store.write(Durability::Process, follow).await
}

/// Prices of the provider's own models.
pub(crate) fn take_up(
    write: &mut Write<'_>,
    provider: &Provider,
    mut said: Vec<Price>,
) -> Result<(), Fault> {
    said.retain(|price| {
        let mut all = provider.models.iter();
        all.any(|model| price.model == format!("{}/{}", provider.name, model.name))
    });
    let mut settings = settings::to_change(write)?;
    let mut now = settings.prices.clone();
    prices::take_up(&mut now, &provider.name, said);
    if now != settings.prices {
        settings.prices = now;
        settings::put(write, &settings)?;
    }
    Ok(())
}

/// What a provider said that is gone, or is another one now under its name.
pub(crate) fn forget(write: &mut Write<'_>, provider: &str) -> Result<(), Fault> {
    let mut settings = settings::to_change(write)?;
    settings.prices.retain(|price| !prices::is_of(price, provider));
    Ok(settings::put(write, &settings)?)
}
