//! What a soul says about its agent's heartbeat: how often, and when.

use domain::ActiveHours;
use jiff::tz::TimeZone;
use serde_json::{Map, Value as Json};

/// How often an agent looks by itself whether there is anything to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Heartbeat {
    pub minutes: u32,
    /// None comes outside of these.
    pub hours: Option<ActiveHours>,
    /// That the hours are in, by its name; the machine's where it is empty.
    pub zone: String,
}

/// Where a soul says that there is one, and not how often.
const USUAL_MINUTES: u32 = 30;
const MOST_MINUTES: u32 = 7 * 24 * 60;

/// `true`, `30m`, or a block with `every`, `hours` and `zone`. `Ok(None)` where there is to
/// be none; an error where nobody can tell.
pub(crate) fn read(said: &Json) -> Result<Option<Heartbeat>, Unread> {
    let every = |minutes| Heartbeat { minutes, hours: None, zone: String::new() };
    match said {
        Json::Null | Json::Bool(false) => Ok(None),
        Json::Bool(true) => Ok(Some(every(USUAL_MINUTES))),
        Json::String(text) if matches!(text.trim(), "off" | "never") => Ok(None),
        Json::String(text) => Ok(Some(every(minutes(text).ok_or(Unread)?))),
        Json::Object(block) => in_block(block).map(Some),
        Json::Number(_) | Json::Array(_) => Err(Unread),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unread;

fn in_block(block: &Map<String, Json>) -> Result<Heartbeat, Unread> {
    let mut heartbeat = Heartbeat { minutes: USUAL_MINUTES, hours: None, zone: String::new() };
    for (key, said) in block {
        let text = match said {
            Json::Null => continue,
            Json::String(text) => text.trim(),
            Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                return Err(Unread);
            }
        };
        match key.as_str() {
            "every" => heartbeat.minutes = minutes(text).ok_or(Unread)?,
            "hours" => heartbeat.hours = Some(hours(text).ok_or(Unread)?),
            "zone" => {
                let known = TimeZone::get(text).is_ok_and(|zone| zone.iana_name().is_some());
                heartbeat.zone = known.then(|| text.to_owned()).ok_or(Unread)?;
            }
            _ => return Err(Unread),
        }
    }
    Ok(heartbeat)
}

/// `30m`, `2h`, `1h30m`, `30 minutes`, `半小时` is none.
fn minutes(text: &str) -> Option<u32> {
    let (mut sum, mut rest) = (0_u32, text.trim());
    while !rest.is_empty() {
        let (count, behind) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit())?);
        let behind = behind.trim_start();
        let end = behind.find(|c: char| !c.is_alphabetic()).unwrap_or(behind.len());
        let unit = match &behind[..end] {
            "m" | "min" | "minute" | "minutes" | "分钟" => 1,
            "h" | "hour" | "hours" | "小时" => 60,
            "d" | "day" | "days" | "天" => 24 * 60,
            _ => return None,
        };
        sum = sum.checked_add(count.parse::<u32>().ok()?.checked_mul(unit)?)?;
        rest = behind[end..].trim_start();
    }
    (1..=MOST_MINUTES).contains(&sum).then_some(sum)
}

/// `9-17`, `22:30-6`.
fn hours(text: &str) -> Option<ActiveHours> {
    let (from, to) = text.split_once('-')?;
    let (from, to) = (minute_of_day(from)?, minute_of_day(to)?);
    (from != to).then_some(ActiveHours { from, to })
}

fn minute_of_day(time: &str) -> Option<u16> {
    let (hour, minute) = time.trim().split_once(':').unwrap_or((time.trim(), "0"));
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
    let at = hour.checked_mul(60)?.checked_add(minute)?;
    (minute < 60 && at <= 24 * 60).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Every so many minutes, and between which of the day.
    type Every = (u32, Option<(u16, u16)>);

    fn check(said: Json, expected: Result<Option<Every>, Unread>) {
        let hours = |hours: ActiveHours| (hours.from, hours.to);
        let found = read(&said).map(|one| one.map(|one| (one.minutes, one.hours.map(hours))));
        assert_eq!(found, expected, "{said}");
    }

    #[test]
    fn a_heartbeat_is_read_as_people_write_it() {
        check(json!(true), Ok(Some((30, None))));
        check(json!(false), Ok(None));
        check(json!("off"), Ok(None));
        for (text, minutes) in [
            ("30m", 30),
            ("2h", 120),
            ("1h30m", 90),
            ("45 minutes", 45),
            ("20分钟", 20),
            ("1 d", 1440),
        ] {
            check(json!(text), Ok(Some((minutes, None))));
        }
        let day = json!({ "every": "1h", "hours": "9-17:30", "zone": "Asia/Shanghai" });
        check(day, Ok(Some((60, Some((540, 1050))))));
        check(json!({ "hours": "22:30-6" }), Ok(Some((30, Some((1350, 360))))));
    }

    #[test]
    fn what_says_no_time_is_not_taken_for_one() {
        for said in [
            json!(""),
            json!("often"),
            json!("30"),
            json!("0m"),
            json!("8d"),
            json!("m30"),
            json!(30),
            json!(["30m"]),
            json!({ "every": 30 }),
            json!({ "hours": "9-9" }),
            json!({ "hours": "9-25" }),
            json!({ "zone": "Mars/Olympus" }),
            json!({ "evry": "30m" }),
        ] {
            // An empty text says nothing at all.
            check(said, Err(Unread));
        }
    }
}
