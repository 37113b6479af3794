//! `time`: what time it is, here or elsewhere.

use super::{Act, Ground};
use crate::shared::Shared;
use domain::Effects;
use futures::FutureExt;
use futures::future::ready;
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use schemars::JsonSchema;
use serde::Deserialize;
use tools::{Returned, Tool};

/// Tells the date and the time of day.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Where, as the name of a time zone such as `Asia/Tokyo` or `UTC`. Where the
    /// person is when left out.
    zone: Option<String>,
}

pub(crate) fn tool(ground: Ground) -> impl Tool {
    Act::new("time", Effects::None, ground, |shared, input, _| {
        ready(Ok(tell(&shared, &input))).boxed()
    })
}

fn tell(shared: &Shared, input: &Input) -> Returned {
    let now_ms = shared.now_ms();
    let zone = match &input.zone {
        None => here(shared.clock.ahead_of_utc_s(now_ms)),
        Some(name) => match TimeZone::get(name) {
            Ok(zone) => zone,
            Err(_) => {
                return Returned::failed(format!(
                    "there is no time zone {name:?}; give one such as Europe/Lisbon, Asia/Tokyo or UTC"
                ));
            }
        },
    };
    let now = Timestamp::from_millisecond(now_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    let told = now.to_zoned(zone).strftime("%A, %-d %B %Y, %H:%M:%S (%Y-%m-%dT%H:%M:%S%:z)");
    Returned::ok(told.to_string())
}

fn here(ahead_of_utc_s: i32) -> TimeZone {
    Offset::from_seconds(ahead_of_utc_s).map_or(TimeZone::UTC, TimeZone::fixed)
}
