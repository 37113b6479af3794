//! The time, from outside, so that a test can hold it.

/// Tells the time of day. What must pass between two moments is awaited with
/// tokio's timers instead.
pub trait Clock: Send + Sync {
    /// Unix milliseconds.
    fn now_ms(&self) -> i64;

    /// How far local time is ahead of UTC at a moment, in seconds.
    fn ahead_of_utc_s(&self, _at_ms: i64) -> i32 {
        0
    }

    /// Where it stands, as a time zone's name.
    fn zone(&self) -> String {
        "UTC".to_owned()
    }
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        #[expect(clippy::disallowed_methods, reason = "this is where the time comes in")]
        let now = std::time::SystemTime::now();
        let since_epoch = now.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
    }

    fn ahead_of_utc_s(&self, at_ms: i64) -> i32 {
        let moment = jiff::Timestamp::from_millisecond(at_ms).unwrap_or_default();
        jiff::tz::TimeZone::system().to_offset(moment).seconds()
    }

    fn zone(&self) -> String {
        let zone = jiff::tz::TimeZone::system();
        match zone.iana_name() {
            Some(name) => name.to_owned(),
            // A zone without a name is told by how far it is from UTC, which these
            // names have the other way round.
            None => match self.ahead_of_utc_s(self.now_ms()) / 3600 {
                0 => "UTC".to_owned(),
                hours => format!("Etc/GMT{:+}", -hours),
            },
        }
    }
}
