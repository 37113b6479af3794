//! The tools `shell` and `shell_online`: the second is the same with the network, as a
//! permission of its own.

use crate::command_line::{parts, plain};
use crate::sandbox::{MOST_SECONDS, Run, USUAL_SECONDS};
use crate::{CallContext, Place, Returned, Sandbox, Stakes, Tool, describe, input};
use async_trait::async_trait;
use domain::{Effects, Need, NeedOf, Risk, ToolSpec};
use processes::Network;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::path::PathBuf;

/// Runs a command line in the shell, beginning in the first of your folders, and
/// gives what it writes and its exit code. It reaches your folders, a temporary
/// one in `$TMPDIR` and the programs of this machine, and no network. It gets no
/// input, and whatever it leaves in the background is ended with it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The command line, as for `bash -c`.
    command: String,
    /// How many seconds it may take; 60 when left out.
    #[schemars(range(min = 1, max = 600))]
    seconds: Option<u32>,
}

/// What the model reads of the second.
const ONLINE: &str = "Runs a command line as `shell` does, with the network. Use it only for \
    what needs that: the person is asked for it apart.";

/// What the operating system takes as one argument, and a bit less.
const MOST_BYTES: usize = 120_000;

pub struct Shell {
    spec: ToolSpec,
    sandbox: Sandbox,
    shell: Option<PathBuf>,
    network: Network,
}

impl Shell {
    pub fn new(sandbox: Sandbox) -> Self {
        let spec = describe::<Input>("shell", Effects::Once, Risk::High);
        Shell::of(spec, sandbox, Network::None)
    }

    /// The one with the network.
    pub fn online(sandbox: Sandbox) -> Self {
        let spec = describe::<Input>("shell_online", Effects::Once, Risk::High);
        let spec = ToolSpec { description: ONLINE.to_owned(), ..spec };
        Shell::of(spec, sandbox, Network::Whole)
    }

    fn of(spec: ToolSpec, sandbox: Sandbox, network: Network) -> Self {
        let shell = ["bash", "sh"].into_iter().find_map(processes::system_program);
        Shell { spec, sandbox, shell, network }
    }
}

#[async_trait]
impl Tool for Shell {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn needs(&self, place: &Place) -> Vec<Need> {
        let mut needs = self.sandbox.needs(place);
        needs.push(Need::new(NeedOf::Program { name: "bash".into() }, self.shell.is_some()));
        needs
    }

    /// What is more than one plain command is like no other: it is allowed as it stands or
    /// not at all.
    fn stakes(&self, arguments: &Value, _place: &Place) -> Result<Stakes, String> {
        let command = arguments["command"].as_str().unwrap_or_default();
        let plain = plain(command);
        let (target, like) = plain.map_or((None, None), |plain| (Some(plain.whole), plain.like));
        let texts = parts(command);
        Ok(Stakes { risk: self.spec.risk, target, like, texts, ..Stakes::default() })
    }

    async fn call(&self, arguments: Value, with: &CallContext) -> Returned {
        let Input { command, seconds } = match input(arguments) {
            Ok(input) => input,
            Err(refusal) => return refusal,
        };
        let Some(program) = self.shell.clone() else {
            return Returned::failed("nothing was run: this machine has no shell");
        };
        if command.len() > MOST_BYTES {
            return Returned::failed(format!(
                "nothing was run: a command of {} bytes is too long, {MOST_BYTES} is the most; write it into a file first",
                command.len()
            ));
        }
        if command.contains('\0') {
            return Returned::failed("nothing was run: the command holds a zero byte");
        }
        let seconds = seconds.unwrap_or(USUAL_SECONDS).clamp(1, MOST_SECONDS);
        let arguments = vec!["-c".into(), command.into()];
        let (stdin, network) = (String::new(), self.network);
        self.sandbox.run(Run { program, arguments, stdin, seconds, network }, with).await
    }
}
