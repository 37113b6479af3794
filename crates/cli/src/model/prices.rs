//! What models cost, as far as that was said.

use crate::money::dollars;
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::table::table;
use domain::{Command as Order, Fault, Price, SettingsPatch};
use std::cmp::Reverse;

/// Which price holds for a model does not go by their order: what is said of fewer
/// models is only read first.
pub(super) async fn set(session: &Session, price: Price) -> Result<(), Failure> {
    let mut prices = session.overview().await?.settings.prices;
    prices.retain(|other| other.model != price.model);
    prices.push(price);
    prices.sort_by_key(|price| (price.model.contains('*'), Reverse(price.model.len())));
    let patch = SettingsPatch { prices: Some(prices), ..SettingsPatch::default() };
    let settings = answered!(session.order(Order::ChangeSettings { patch }).await?, Settings)?;
    show(session, &settings.prices);
    Ok(())
}

pub(super) async fn unset(session: &Session, model: &str) -> Result<(), Failure> {
    let mut prices = session.overview().await?.settings.prices;
    let known = prices.len();
    prices.retain(|price| price.model != model);
    if prices.len() == known {
        return Err(Fault::not_found(
            format!("nothing was said of the price of {model}"),
            "coterie model prices shows what was said of which",
        )
        .into());
    }
    let patch = SettingsPatch { prices: Some(prices), ..SettingsPatch::default() };
    let settings = answered!(session.order(Order::ChangeSettings { patch }).await?, Settings)?;
    show(session, &settings.prices);
    Ok(())
}

pub(super) fn show(session: &Session, prices: &[Price]) {
    session.screen.many(prices, |paint| {
        let heads = ["model", "read", "out of the cache", "into the cache", "written", "as of"];
        let row = |price: &Price| {
            let as_input = |special: Option<i64>| special.unwrap_or(price.input_microusd);
            [
                price.model.clone(),
                dollars(price.input_microusd),
                dollars(as_input(price.cached_microusd)),
                dollars(as_input(price.cache_write_microusd)),
                dollars(price.output_microusd),
                price.as_of.clone().unwrap_or_default(),
            ]
        };
        table(paint, heads, prices.iter().map(row).collect())
    });
}
