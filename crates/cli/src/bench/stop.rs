//! How soon a stop is felt: from the command until the turn has ended on record
//! and the provider has seen its connection closed, while it still has more to say.
//! A model of one's own machine has no connection: for it the record counts, and the
//! next turn waits until its engine is free.

use super::stage::{self, Stage};
use super::{BUDGET, broken, tell};
use crate::screen::{Failure, Screen};
use domain::{
    Command, FromOwner, GroupId, ProviderKind, Record, RunState, Target, TurnPolicy, Update,
};
use door::Durability;
use futures::StreamExt;
use futures::stream::BoxStream;
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

const TIMES: usize = 20;

/// With the beginning of an answer, in the provider's own way.
const PROVIDERS: [(&str, ProviderKind, &str); 4] = [
    (
        "stop_openai",
        ProviderKind::Openai,
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Once upon a time \"},\"finish_reason\":null}]}\n\n",
    ),
    (
        "stop_anthropic",
        ProviderKind::Anthropic,
        "data: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":20,\"output_tokens\":1}}}\n\n\
         data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n\
         data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Once upon a time \"}}\n\n",
    ),
    (
        "stop_gemini",
        ProviderKind::Gemini,
        "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"Once upon a time \"}]},\"index\":0}]}\n\n",
    ),
    (
        "stop_ollama",
        ProviderKind::Ollama,
        "{\"message\":{\"role\":\"assistant\",\"content\":\"Once upon a time \"},\"done\":false}\n",
    ),
];

pub(super) async fn run(screen: &Screen) -> Result<(), Failure> {
    for (name, kind, beginning) in PROVIDERS {
        let longest = measure_served(kind, beginning).await?;
        tell(screen, name, "ms", longest, Some((BUDGET, 100.0)));
    }
    let longest = measure(Stage::of_starter_model().await?, None).await?;
    tell(screen, "stop_local", "ms", longest, Some((BUDGET, 100.0)));
    Ok(())
}

async fn measure_served(kind: ProviderKind, beginning: &'static str) -> Result<f64, Failure> {
    let (url, closed) = provider(beginning).await?;
    let stage = Stage::open(Durability::Process).await?;
    stage.answer_with(kind, url).await?;
    measure(stage, Some(closed)).await
}

/// Milliseconds, the longest of all.
async fn measure(
    stage: Stage,
    mut closed: Option<UnboundedReceiver<Instant>>,
) -> Result<f64, Failure> {
    let agents = stage.overview().await?.agents;
    let mut events = stage.door.events(None);
    let mut longest = 0.0_f64;
    for _ in 0..TIMES {
        let group = stage.group(&agents[..1], TurnPolicy::Broadcast).await?;
        stage::post(&stage.door, group, "Tell me a long story about a lighthouse and its keepers.")
            .await?;
        until(&mut events, |update| speaks(update, group)).await?;
        let asked = Instant::now();
        stage.order(Command::Stop { target: Target::Group(group) }).await?;
        until(&mut events, |update| has_stopped(update, group)).await?;
        let mut ended = Instant::now();
        if let Some(closed) = &mut closed {
            let gone = || broken("listen", "the provider is gone");
            ended = ended.max(closed.recv().await.ok_or_else(gone)?);
        }
        longest = longest.max(ended.duration_since(asked).as_secs_f64() * 1e3);
    }
    stage.door.close().await;
    Ok(longest)
}

async fn until(
    events: &mut BoxStream<'static, FromOwner>,
    is_it: impl Fn(&Update) -> bool,
) -> Result<(), Failure> {
    loop {
        match events.next().await {
            Some(FromOwner::Event(event)) if is_it(&event.update) => return Ok(()),
            Some(_) => {}
            None => return Err(broken("listen", "the events ended")),
        }
    }
}

fn speaks(update: &Update, group: GroupId) -> bool {
    matches!(update, Update::Live { live } if live.group == group && !live.text.is_empty())
}

fn has_stopped(update: &Update, group: GroupId) -> bool {
    matches!(update, Update::Saved { record: Record::Run(run) }
        if run.group == group && !matches!(run.state, RunState::Running))
}

/// A server that begins an answer and never ends it. Gives its address, and when
/// each of its connections was closed.
async fn provider(
    beginning: &'static str,
) -> Result<(String, UnboundedReceiver<Instant>), Failure> {
    let opening = |error| broken("open a port", error);
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(opening)?;
    let port = listener.local_addr().map_err(opening)?.port();
    let (tells, closed) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(begin(connection, beginning, tells.clone()));
        }
    });
    Ok((format!("http://127.0.0.1:{port}"), closed))
}

async fn begin(
    mut connection: TcpStream,
    beginning: &'static str,
    tells: UnboundedSender<Instant>,
) -> std::io::Result<()> {
    let mut heard = vec![0; 64 * 1024];
    let first = connection.read(&mut heard).await?;
    let is_question = heard[..first].starts_with(b"POST");
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    connection.write_all(head.as_bytes()).await?;
    connection.write_all(beginning.as_bytes()).await?;
    while !matches!(connection.read(&mut heard).await, Ok(0) | Err(_)) {}
    if is_question {
        // Nobody listens any more once all is measured.
        let _ = tells.send(Instant::now());
    }
    Ok(())
}
