//! What models cost, as far as that was said.

use crate::money::dollars;
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::table::table;
use domain::{Command as Order, Price, PriceChange, SettingsPatch};
use std::cmp::Reverse;

pub(super) async fn set(session: &Session, price: Price) -> Result<(), Failure> {
    change(session, price.into()).await
}

pub(super) async fn unset(session: &Session, model: String) -> Result<(), Failure> {
    change(session, PriceChange { without: Some(model), put: None }).await
}

async fn change(session: &Session, price: PriceChange) -> Result<(), Failure> {
    let patch = SettingsPatch { price: Some(price), ..SettingsPatch::default() };
    let settings = answered!(session.order(Order::ChangeSettings { patch }).await?, Settings)?;
    show(session, settings.prices);
    Ok(())
}

/// Which price holds for a model does not go by their order: what is said of fewer
/// models is only read first.
pub(super) fn show(session: &Session, mut prices: Vec<Price>) {
    prices.sort_by_key(|price| (price.model.contains('*'), Reverse(price.model.len())));
    session.screen.many(&prices, |paint| {
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
