//! A server that is a process of ours, and the end of every one.

use std::time::Duration;

use processes::{Log, Process};
use rmcp::ClientServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{Service, lifecycle, lines};
use crate::handler::Handler;
use crate::web::Web;
use crate::{Era, Fault, Patience};

/// A process with the task that reads its log.
pub(super) struct Held {
    process: Process,
    logging: Option<tokio::task::JoinHandle<()>>,
    log: Log,
    /// What was logged before it was started.
    logged: u64,
}

pub(super) async fn piped(
    mut process: Process,
    handler: &Handler,
    era: Option<Era>,
    patience: Patience,
    log: &Log,
) -> Result<(Service, Held), Fault> {
    let (Some(stdin), Some(stdout)) = (process.stdin.take(), process.stdout.take()) else {
        return Err(Fault::NotStarted("its pipes are taken".to_owned()));
    };
    let logged = log.counted();
    let logging = process.stderr.take().map(|stderr| log.follow(stderr));
    let mut held = Held { process, logging, log: log.clone(), logged };
    let stdout = lines::with_excuses(stdout, patience.most_bytes, log.clone());
    let transport =
        AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(patience.most_bytes);
    let serving = handler.clone().serve_with_lifecycle(transport, lifecycle(era));
    match timeout(patience.to_connect, serving).await {
        Ok(Ok(service)) => Ok((service, held)),
        Ok(Err(error)) => {
            let why = Fault::connecting(error);
            if matches!(why, Fault::Late(_)) {
                held.end(patience).await;
                return Err(why);
            }
            // It may have ended rather than answered badly.
            let ended = timeout(BREATH, held.process.ended()).await.is_ok();
            let how = held.end(Patience { to_end: BREATH, ..patience }).await;
            Err(if ended { how } else { why })
        }
        Err(_) => {
            held.end(patience).await;
            Err(Fault::Silent(patience.to_connect))
        }
    }
}

impl Held {
    /// Ends it, and says how it ended.
    async fn end(self, patience: Patience) -> Fault {
        let patience = processes::Patience { closed: patience.to_end, asked: patience.to_end };
        let how = self.process.end(patience).await.to_string();
        if let Some(logging) = self.logging {
            let _ = timeout(BREATH, logging).await;
        }
        let mut lines = self.log.since(self.logged);
        lines.retain(|line| !line.starts_with(OURS));
        let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
        Fault::Ended { how, said: last.join("\n") }
    }
}

pub(super) const BREATH: Duration = Duration::from_millis(500);
const LAST_LINES: usize = 5;
/// What we put into its log ourselves.
const OURS: &str = "[coterie] ";

/// Who speaks with us.
pub(super) enum Other {
    Program(Box<Held>),
    Web(Web),
}

impl Other {
    async fn ended(&mut self) {
        match self {
            Other::Program(held) => drop(held.process.ended().await),
            Other::Web(web) => {
                web.gone().await;
                // Whoever found nobody there hears of it by what they asked.
                sleep(BREATH).await;
            }
        }
    }
}

/// Waits for the end, or brings it about.
pub(super) async fn until_over(
    service: Service,
    mut other: Other,
    stop: CancellationToken,
    patience: Patience,
) -> Fault {
    let cancel = service.cancellation_token();
    let mut service = tokio::spawn(service.waiting());
    let mut closed = false;
    let stopped = tokio::select! {
        () = stop.cancelled() => true,
        () = other.ended() => false,
        _ = &mut service => {
            closed = true;
            false
        }
    };
    cancel.cancel();
    // Its pipe, or its session, is closed with it.
    if !closed && timeout(patience.to_end, &mut service).await.is_err() {
        service.abort();
    }
    let how = match other {
        Other::Program(held) => held.end(patience).await,
        Other::Web(web) => web.why_over(),
    };
    if stopped { Fault::Stopped } else { how }
}
