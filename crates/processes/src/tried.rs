//! Whether the walls of `seatbelt` hold on this Mac. They are tried once, before
//! anybody is offered anything: what is beyond them must be out of reach, and
//! what is within them must not.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use crate::confinement::{Confinement, Most, Network};
use crate::{seatbelt, system_files};

/// `Err` says what does not hold.
pub(crate) fn tried() -> Result<(), String> {
    static TRIED: OnceLock<Result<(), String>> = OnceLock::new();
    TRIED.get_or_init(try_all).clone()
}

/// Of each what it is to show, the network that it has, and a command for `sh`;
/// `$0` is a port of this machine on which somebody listens.
const TRIES: &[(&str, Network, &str)] = &[
    ("no program begins in it", Network::None, "ls /usr/bin > /dev/null"),
    ("folders of people can be listed in it", Network::None, "! ls /Users > /dev/null"),
    (
        "folders can be made outside of it",
        Network::None,
        "! { mkdir /private/tmp/coterie-$$ && rmdir /private/tmp/coterie-$$; }",
    ),
    ("the network can be reached in it", Network::None, "! nc -z -w 2 127.0.0.1 $0"),
    ("the network cannot be reached by who may", Network::Whole, "nc -z -w 2 127.0.0.1 $0"),
];

fn try_all() -> Result<(), String> {
    let listens = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    let port = listens.local_addr().map_err(|error| error.to_string())?.port();
    TRIES.iter().try_for_each(|(otherwise, network, command)| {
        let output = Command::new(seatbelt::SANDBOX_EXEC)
            .args(seatbelt::arguments(&nothing(*network)))
            .args(["/bin/sh", "-c", command])
            .arg(port.to_string())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .current_dir("/usr")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("start {}: {error}", seatbelt::SANDBOX_EXEC))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim();
        Err(if said.is_empty() { (*otherwise).to_owned() } else { format!("{otherwise}: {said}") })
    })
}

/// The programs of the machine, and no folder.
fn nothing(network: Network) -> Confinement {
    let most =
        Most { memory_bytes: 0, cpu: Duration::ZERO, tasks: 0, file_bytes: 0, written_bytes: 0 };
    Confinement {
        machine: system_files(),
        reads: Vec::new(),
        writes: Vec::new(),
        temporary: PathBuf::new(),
        network,
        most,
    }
}
