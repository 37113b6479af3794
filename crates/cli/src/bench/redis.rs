//! A Redis of our own on a free port, and as much of its protocol as it takes
//! to append to a stream.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// When an append is on the disk.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sync {
    EverySecond,
    Always,
}

/// Ends with this value, and its folder with it.
pub(super) struct Redis {
    server: Child,
    connection: BufReader<TcpStream>,
    _folder: TempDir,
}

const TRIES: u32 = 100;
const BETWEEN_TRIES: Duration = Duration::from_millis(50);

impl Redis {
    /// `None` when Redis is not installed.
    pub(super) fn start(sync: Sync) -> std::io::Result<Option<Redis>> {
        let folder = TempDir::new()?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let fsync = match sync {
            Sync::EverySecond => "everysec",
            Sync::Always => "always",
        };
        let started = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""])
            .args(["--appendonly", "yes", "--appendfsync", fsync, "--dir"])
            .arg(folder.path())
            .stdout(Stdio::null())
            .spawn();
        let mut server = match started {
            Ok(server) => server,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match connect(port) {
            Ok(connection) => Ok(Some(Redis { server, connection, _folder: folder })),
            Err(error) => {
                server.kill()?;
                server.wait()?;
                Err(error)
            }
        }
    }

    /// Appends one text after the other, each once the last one is answered.
    pub(super) fn append(&mut self, text: &str, times: usize) -> std::io::Result<()> {
        let request = request(&["XADD", "messages", "*", "text", text]);
        let mut line = String::new();
        for _ in 0..times {
            self.connection.get_mut().write_all(request.as_bytes())?;
            line.clear();
            self.connection.read_line(&mut line)?;
            if !line.starts_with('$') {
                return Err(std::io::Error::other(format!("Redis answered {line:?}")));
            }
            line.clear();
            self.connection.read_line(&mut line)?;
        }
        Ok(())
    }

    /// How many there are in the stream.
    pub(super) fn length(&mut self) -> std::io::Result<usize> {
        let request = request(&["XLEN", "messages"]);
        self.connection.get_mut().write_all(request.as_bytes())?;
        let mut line = String::new();
        self.connection.read_line(&mut line)?;
        let length = line.trim_end().strip_prefix(':').and_then(|length| length.parse().ok());
        length.ok_or_else(|| std::io::Error::other(format!("Redis answered {line:?}")))
    }
}

/// In the protocol's words.
fn request(words: &[&str]) -> String {
    let mut request = format!("*{}\r\n", words.len());
    for word in words {
        request.push_str(&format!("${}\r\n{word}\r\n", word.len()));
    }
    request
}

impl Drop for Redis {
    fn drop(&mut self) {
        // It is gone either way.
        let _ = self.server.kill().and_then(|()| self.server.wait());
    }
}

fn connect(port: u16) -> std::io::Result<BufReader<TcpStream>> {
    let mut tries = 1;
    loop {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(connection) => {
                connection.set_nodelay(true)?;
                return Ok(BufReader::new(connection));
            }
            Err(error) if tries == TRIES => return Err(error),
            Err(_) => std::thread::sleep(BETWEEN_TRIES),
        }
        tries += 1;
    }
}
