//! How far a use of a tool is, on its way from whoever does it to whoever looks on.
//!
//! Whoever does it may be a stranger, who says what they like and as often as they like. So
//! it is told a few times a second at most, the newest each time, in one short line without
//! keys and without what cannot be seen. It is kept nowhere and ends with its use.

use crate::seen;
use crate::shared::Shared;
use domain::{CallId, RunId, Update, UseProgress};
use secrets::Redactor;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;
use tools::Progress;

const BETWEEN: Duration = Duration::from_millis(300);
const MOST_OF_A_MESSAGE: usize = 120;

/// Where a use says how far it is. Once that is dropped nobody is told any more.
pub(crate) fn listen(shared: &Shared, run: RunId, call: CallId) -> watch::Sender<Option<Progress>> {
    let (tell, told) = watch::channel(None);
    let (events, redactor) = (shared.events.clone(), shared.safe.redactor().clone());
    tokio::spawn(async move {
        let publish = |said| {
            if let Some(progress) = shown(said, run, call, &redactor) {
                events.publish(vec![Update::UseProgress { progress }]);
            }
        };
        follow(told, publish).await;
    });
    tell
}

async fn follow(mut told: watch::Receiver<Option<Progress>>, tell: impl Fn(Progress)) {
    // What is said last is not told where the use has ended since: that says more.
    while told.changed().await.is_ok() && told.has_changed().is_ok() {
        let said = told.borrow_and_update().clone();
        said.into_iter().for_each(&tell);
        sleep(BETWEEN).await;
    }
}

/// Nothing where it says nothing that can be shown.
fn shown(said: Progress, run: RunId, call: CallId, redactor: &Redactor) -> Option<UseProgress> {
    let Progress { done, total, message } = said;
    let is_amount = |amount: &f64| amount.is_finite() && *amount >= 0.0;
    let total = total.filter(|total| is_amount(total) && *total > 0.0);
    let message = message.map(|text| line(&text, redactor)).filter(|text| !text.is_empty());
    is_amount(&done).then_some(UseProgress { run, call, done, total, message })
}

fn line(text: &str, redactor: &Redactor) -> String {
    // A key may have been whole before, and may only be whole without what is not seen.
    let text = seen::line(&redactor.redact(text));
    redactor.redact(&text).chars().take(MOST_OF_A_MESSAGE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrets::Secret;
    use std::sync::Mutex;
    use uuid::Uuid;

    const KEY: &str = "acme-0123-4567-89ab";

    fn said(done: f64, message: &str) -> Progress {
        Progress { done, total: Some(10.0), message: Some(message.to_owned()) }
    }

    fn told(said: Progress) -> Option<UseProgress> {
        let redactor = Redactor::default();
        redactor.learn("provider/acme", &Secret::from(KEY));
        shown(said, RunId(Uuid::nil()), CallId(Uuid::nil()), &redactor)
    }

    #[tokio::test(start_paused = true)]
    async fn of_a_flood_the_newest_is_told_a_few_times_a_second_and_nothing_after_the_end() {
        let (tell, heard) = watch::channel(None);
        let seen = Mutex::new(Vec::new());
        let follow = follow(heard, |said| seen.lock().expect("whole").push(said.done));
        let flood = async {
            for begun in [0, 1000, 2000] {
                (begun..begun + 1000)
                    .for_each(|n| drop(tell.send_replace(Some(said(n.into(), "")))));
                sleep(BETWEEN * 3 / 4).await;
            }
            tell.send_replace(Some(said(9000.0, "")));
            drop(tell);
        };
        futures::join!(follow, flood);
        assert_eq!(seen.into_inner().expect("whole"), [999.0, 1999.0, 2999.0]);
    }

    #[test]
    fn a_message_is_one_short_line_without_keys_and_without_what_cannot_be_seen() {
        let check = |message: &str, expected: Option<&str>| {
            let told = told(said(3.0, message)).expect("it is told");
            assert_eq!(told.message.as_deref(), expected, "{message:?}");
        };
        check("copying files", Some("copying files"));
        check("\u{1b}[31mcopying\r\n\u{202e}files\u{7}", Some("[31mcopying files"));
        check("复制文件", Some("复制文件"));
        check(" \n\u{200b}", None);
        check(&format!("with {KEY}"), Some("with [redacted provider/acme]"));
        check("with acme-0123\u{200b}-4567-89ab", Some("with [redacted provider/acme]"));
        check(&"x".repeat(9000), Some(&"x".repeat(MOST_OF_A_MESSAGE)));
    }

    #[test]
    fn what_is_no_amount_is_not_told() {
        let check = |done: f64, total: Option<f64>, expected| {
            let told = told(Progress { done, total, message: None });
            assert_eq!(told.map(|told| (told.done, told.total)), expected);
        };
        check(3.0, Some(10.0), Some((3.0, Some(10.0))));
        check(0.25, None, Some((0.25, None)));
        check(3.0, Some(0.0), Some((3.0, None)));
        check(3.0, Some(f64::INFINITY), Some((3.0, None)));
        check(f64::NAN, Some(10.0), None);
        check(-1.0, Some(10.0), None);
    }
}
