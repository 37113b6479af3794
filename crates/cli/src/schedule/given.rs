//! Hours and the like as they are written on a command line.

use domain::{ActiveHours, CatchUp};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hours {
    Between(ActiveHours),
    All,
}

/// `9-17`, `22:30-6`, `all`.
pub(crate) fn hours(word: &str) -> Result<Hours, String> {
    if word == "all" {
        return Ok(Hours::All);
    }
    let both = word.split_once('-').and_then(|(from, to)| Some((minute(from)?, minute(to)?)));
    match both {
        Some((from, to)) => Ok(Hours::Between(ActiveHours { from, to })),
        None => Err("give them like 9-17 or 22:30-6, or all".to_owned()),
    }
}

fn minute(time: &str) -> Option<u16> {
    let (hour, minute) = time.trim().split_once(':').unwrap_or((time.trim(), "0"));
    let (hour, minute): (u16, u16) = (hour.parse().ok()?, minute.parse().ok()?);
    let at = hour.checked_mul(60)?.checked_add(minute)?;
    (minute < 60 && at <= 24 * 60).then_some(at)
}

pub(crate) fn catch_up(word: &str) -> Result<CatchUp, String> {
    match word {
        "skip" => Ok(CatchUp::Skip),
        "once" => Ok(CatchUp::Once),
        most => match most.parse() {
            Ok(most) => Ok(CatchUp::All { most }),
            Err(_) => Err("give skip, once, or a number".to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_read_as_people_write_them() {
        let between = |from, to| Ok(Hours::Between(ActiveHours { from, to }));
        assert_eq!(hours("9-17"), between(540, 1020));
        assert_eq!(hours("22:30-6"), between(1350, 360));
        assert_eq!(hours("0-24"), between(0, 1440));
        assert_eq!(hours("all"), Ok(Hours::All));
        for bad in ["9", "9-", "9-25", "9:60-10", "-", "x-y"] {
            assert!(hours(bad).is_err(), "{bad}");
        }
    }
}
