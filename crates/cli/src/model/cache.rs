//! The cache of answers: on, off, forgotten.

use crate::screen::Failure;
use crate::session::{Session, answered};
use clap::Subcommand;
use domain::{Command as Order, ResponseCache, SettingsPatch};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Whether it is used
    Show,
    /// Plans, decisions and summaries that were asked for lately are not asked for again
    On {
        /// Answers too that chance has a part in
        #[arg(long)]
        sampled: bool,
    },
    /// Models are asked every time
    Off,
    /// Forget what was answered
    Forget,
}

pub(super) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::Show => show(session, session.overview().await?.settings.response_cache),
        Command::On { sampled } => set(session, ResponseCache { on: true, sampled }).await?,
        Command::Off => set(session, ResponseCache { on: false, sampled: false }).await?,
        Command::Forget => {
            let forgotten = answered!(session.order(Order::ForgetAnswers).await?, Forgotten)?;
            session.screen.one(&forgotten, |_| match forgotten {
                1 => "forgot 1 answer\n".to_owned(),
                n => format!("forgot {n} answers\n"),
            });
        }
    }
    Ok(())
}

async fn set(session: &Session, cache: ResponseCache) -> Result<(), Failure> {
    let patch = SettingsPatch { response_cache: Some(cache), ..SettingsPatch::default() };
    let settings = answered!(session.order(Order::ChangeSettings { patch }).await?, Settings)?;
    show(session, settings.response_cache);
    Ok(())
}

fn show(session: &Session, cache: ResponseCache) {
    session.screen.one(&cache, |_| {
        let kept = match cache {
            ResponseCache { on: false, .. } => "off: models are asked every time",
            ResponseCache { sampled: false, .. } => "on, for plans, decisions and summaries",
            ResponseCache { sampled: true, .. } => "on, for every answer",
        };
        format!("{kept}\n")
    });
}
