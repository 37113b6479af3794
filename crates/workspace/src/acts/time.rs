//! `time`: what time it is, here or elsewhere.

use super::Ground;
use async_trait::async_trait;
use domain::{Effects, Risk, ToolSpec};
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tools::{CallContext, Returned, Tool};

/// Tells the date and the time of day.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Where, as the name of a time zone such as `Asia/Tokyo` or `UTC`. Where the
    /// person is when left out.
    zone: Option<String>,
}

pub(crate) struct Time {
    spec: ToolSpec,
    ground: Ground,
}

impl Time {
    pub(crate) fn new(ground: Ground) -> Self {
        Time { spec: tools::describe::<Input>("time", Effects::None, Risk::Low), ground }
    }
}

#[async_trait]
impl Tool for Time {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_usual(&self) -> bool {
        false
    }

    async fn call(&self, arguments: Value, _: &CallContext) -> Returned {
        let input: Input = match tools::input(arguments) {
            Ok(input) => input,
            Err(returned) => return returned,
        };
        let shared = match self.ground.shared() {
            Ok(shared) => shared,
            Err(returned) => return returned,
        };
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
}

fn here(ahead_of_utc_s: i32) -> TimeZone {
    Offset::from_seconds(ahead_of_utc_s).map_or(TimeZone::UTC, TimeZone::fixed)
}
