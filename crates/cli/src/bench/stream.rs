//! What a streamed token costs: from a provider's bytes over HTTP, through the
//! decoder, what an agent may say, and the batches, to the event.
//!
//! The provider's threads belong to this process and are not counted. It sends one
//! token a chunk: as fast as it can, and a millisecond apart, where each token
//! also costs a wake-up of the network.

use super::stage::{self, Stage};
use super::{BUDGET, broken, cost, tell};
use crate::screen::{Failure, Screen};
use domain::{FromOwner, ProviderKind, Record, RunState, TurnPolicy, Update};
use door::Durability;
use futures::StreamExt;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

const SERVER: &str = "bench-provider";
const TOKENS: usize = 2_000;
const TOKEN: &str = r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"bench","choices":[{"index":0,"delta":{"content":" leaf"},"logprobs":null,"finish_reason":null}]}"#;
const LAST: &str = r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"bench","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}"#;

pub(super) async fn run(screen: &Screen) -> Result<(), Failure> {
    let each = measure(None, 200).await?;
    tell(screen, "token", "µs cpu", each, Some((BUDGET, 10.0)));
    let each = measure(Some(Duration::from_millis(1)), 5).await?;
    tell(screen, "token_one_by_one", "µs cpu", each, None);
    Ok(())
}

/// Microseconds of processor time a token.
async fn measure(pause: Option<Duration>, answers: usize) -> Result<f64, Failure> {
    let listener =
        TcpListener::bind("127.0.0.1:0").map_err(|error| broken("open a port", error))?;
    let port = listener.local_addr().map_err(|error| broken("open a port", error))?.port();
    let serving = std::thread::Builder::new().name(SERVER.into());
    serving
        .spawn(move || serve(&listener, pause))
        .map_err(|error| broken("start a provider", error))?;
    let stage = Stage::open(Durability::Process).await?;
    stage.answer_with(ProviderKind::Openai, format!("http://127.0.0.1:{port}/v1")).await?;
    answer(&stage, 2).await?;
    let before = cost::processor_without(SERVER)?;
    answer(&stage, answers).await?;
    let used = cost::processor_without(SERVER)?.saturating_sub(before);
    stage.door.close().await;
    Ok(used.as_secs_f64() * 1e6 / (answers * TOKENS) as f64)
}

/// Each in a group of its own, so that no history adds to it.
async fn answer(stage: &Stage, answers: usize) -> Result<(), Failure> {
    let agents = stage.overview().await?.agents;
    for _ in 0..answers {
        let group = stage.group(&agents[..1], TurnPolicy::Broadcast).await?;
        let mut events = stage.door.events(None);
        stage::post(&stage.door, group, "What do you see?").await?;
        let mut seen = 0;
        loop {
            let said = events.next().await.ok_or_else(|| broken("listen", "the events ended"))?;
            let FromOwner::Event(event) = said else { continue };
            match event.update {
                Update::Live { live } if live.group == group => seen += live.text.len(),
                Update::Saved { record: Record::Run(run) } if run.state == RunState::Settled => {
                    break;
                }
                Update::Saved { record: Record::Run(run) } if run.state != RunState::Running => {
                    return Err(broken("answer", format!("{run:?}")));
                }
                Update::Live { .. }
                | Update::Saved { .. }
                | Update::Waiting { .. }
                | Update::HeldUp { .. }
                | Update::Keys { .. }
                | Update::Removed { .. } => {}
            }
        }
        if seen != " leaf".len() * TOKENS {
            return Err(broken("listen", format!("{seen} bytes of text arrived")));
        }
    }
    Ok(())
}

fn serve(listener: &TcpListener, pause: Option<Duration>) {
    for connection in listener.incoming().flatten() {
        let speaking = move || {
            // The client closes it when it has enough.
            let _ = speak(connection, pause);
            // A thread that is gone could no longer be left out of the count.
            loop {
                std::thread::park();
            }
        };
        if std::thread::Builder::new().name(SERVER.into()).spawn(speaking).is_err() {
            return;
        }
    }
}

fn speak(connection: TcpStream, pause: Option<Duration>) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = BufReader::new(connection);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            if line == "\r\n" {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        std::io::copy(&mut reader.by_ref().take(length), &mut std::io::sink())?;
        let mut out = reader.get_ref();
        out.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        )?;
        let token = chunk(&format!("data: {TOKEN}\n\n"));
        for _ in 0..TOKENS {
            out.write_all(token.as_bytes())?;
            if let Some(pause) = pause {
                std::thread::sleep(pause);
            }
        }
        let end = chunk(&format!("data: {LAST}\n\n")) + &chunk("data: [DONE]\n\n") + "0\r\n\r\n";
        out.write_all(end.as_bytes())?;
    }
}

fn chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}
