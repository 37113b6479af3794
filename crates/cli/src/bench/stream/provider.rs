//! A server with OpenAI's chat completions that always says the same.
//!
//! Every token is an event of its own in an HTTP chunk of its own, as real
//! servers send them. Its threads carry a name by which they are left out when
//! the time of this process is counted.

use crate::bench::broken;
use crate::screen::Failure;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

pub(super) const THREADS: &str = "bench-provider";
pub(super) const TOKENS: usize = 2_000;
pub(super) const TEXT: &str = " leaf";
const TOKEN: &str = r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"bench","choices":[{"index":0,"delta":{"content":" leaf"},"logprobs":null,"finish_reason":null}]}"#;
const LAST: &str = r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"bench","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}"#;

/// How the tokens are sent off.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pace {
    /// One after the other, as fast as it goes.
    EachAlone,
    /// One after the other with a pause behind each.
    Paused(Duration),
    /// Many at once, so that reading them costs more than receiving them.
    ManyAtOnce,
}

/// Begins to serve, and gives the address.
pub(super) fn start(pace: Pace) -> Result<String, Failure> {
    let listener =
        TcpListener::bind("127.0.0.1:0").map_err(|error| broken("open a port", error))?;
    let port = listener.local_addr().map_err(|error| broken("open a port", error))?.port();
    let serving = std::thread::Builder::new().name(THREADS.into());
    serving
        .spawn(move || serve(&listener, pace))
        .map_err(|error| broken("start a provider", error))?;
    Ok(format!("http://127.0.0.1:{port}/v1"))
}

fn serve(listener: &TcpListener, pace: Pace) {
    for connection in listener.incoming().flatten() {
        let speaking = move || {
            // The client closes it when it has enough.
            let _ = speak(connection, pace);
            // A thread that is gone could no longer be left out of the count.
            loop {
                std::thread::park();
            }
        };
        if std::thread::Builder::new().name(THREADS.into()).spawn(speaking).is_err() {
            return;
        }
    }
}

fn speak(connection: TcpStream, pace: Pace) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = BufReader::new(connection);
    let token = chunk(&format!("data: {TOKEN}\n\n"));
    let at_once = match pace {
        Pace::EachAlone | Pace::Paused(_) => 1,
        Pace::ManyAtOnce => 100,
    };
    let tokens = token.repeat(at_once);
    while heard_question(&mut reader)? {
        let mut out = reader.get_ref();
        out.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        )?;
        for _ in 0..TOKENS / at_once {
            out.write_all(tokens.as_bytes())?;
            if let Pace::Paused(pause) = pace {
                std::thread::sleep(pause);
            }
        }
        let end = chunk(&format!("data: {LAST}\n\n")) + &chunk("data: [DONE]\n\n") + "0\r\n\r\n";
        out.write_all(end.as_bytes())?;
    }
    Ok(())
}

/// Reads one question to its end; false when there are no more.
fn heard_question(reader: &mut BufReader<TcpStream>) -> std::io::Result<bool> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(false);
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
    Ok(true)
}

fn chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}
